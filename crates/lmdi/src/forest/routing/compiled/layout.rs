//! The nodes of a compiled tree and their order.
//!
//! The two children of a node are neighbours, the left one first. The child with more training rows
//! is continued first, so the most frequent paths are contiguous.

use super::cell::Cell;
use super::link::Link;
use super::top::{LEVELS, Top};
use crate::forest::{Comparison, Missing, Tree};

/// Share of the training weight that may reach its leaf within the steps that all rows take.
const EARLY: f64 = 0.1;

#[derive(Debug, Clone, Copy)]
pub(super) struct Node<C, L, A> {
    pub(super) threshold: C,
    pub(super) link: L,
    /// What a row gains by entering the node.
    pub(super) amount: A,
}

/// The part of a tree that is walked: from the root down to nodes where it does not go on.
pub(super) struct Part<'t> {
    pub(super) tree: &'t Tree,
    /// Per node of the tree.
    pub(super) goes_on: &'t [bool],
    /// How many nodes are reached.
    pub(super) n_nodes: usize,
}

/// A compiled tree whose nodes hold amounts of type `A`.
#[derive(Debug)]
pub(super) struct Compiled<C, L, A> {
    pub(super) nodes: Vec<Node<C, L, A>>,
    /// The node index of each position.
    pub(super) original: Vec<u32>,
    /// Steps that all rows take.
    pub(super) shared_steps: usize,
    /// The first levels, of a tree that has enough of them.
    pub(super) top: Option<Box<Top<C>>>,
}

impl<C: Cell, L: Link, A: Copy> Compiled<C, L, A> {
    /// `spare` is the column after the last one, where rows in a leaf look.
    pub(super) fn new(part: &Part<'_>, spare: u32, amount_of: impl Fn(usize) -> A) -> Self {
        let Part { tree, goes_on, n_nodes } = *part;
        let blank =
            Node { threshold: C::HIGHEST, link: L::new(spare, 0, false), amount: amount_of(0) };
        let mut nodes = vec![blank; n_nodes];
        let mut original = vec![0; n_nodes];
        let mut arrived = Arrivals::default();
        let mut next = 1;
        let mut waiting = vec![(0u32, 0usize, 0usize)];
        while let Some((position, node, depth)) = waiting.pop() {
            original[position as usize] = node as u32;
            let at = &mut nodes[position as usize];
            at.amount = amount_of(node);
            if !goes_on[node] {
                at.link = L::new(spare, position, false);
                arrived.count(depth, tree.weight[node]);
                continue;
            }
            at.threshold = match tree.comparison {
                Comparison::LessEqual => C::at_most(tree.threshold[node]),
                Comparison::Less => C::below(tree.threshold[node]),
            };
            at.link = L::new(tree.feature[node], next, tree.missing[node] == Missing::Right);
            let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
            let children = [(next, left, depth + 1), (next + 1, right, depth + 1)];
            let heavy = usize::from(tree.weight[right] > tree.weight[left]);
            waiting.push(children[1 - heavy]);
            waiting.push(children[heavy]);
            next += 2;
        }
        let shared_steps = arrived.shared_steps();
        let top = (n_nodes > 1 << LEVELS).then(|| Box::new(Top::of(&nodes)));
        Self { nodes, original, shared_steps, top }
    }

    pub(super) fn is_leaf(&self, position: u32) -> bool {
        self.nodes[position as usize].link.left() == position
    }
}

/// How much training weight arrives at leaves after how many steps.
#[derive(Default)]
struct Arrivals {
    weight: Vec<f64>,
}

impl Arrivals {
    fn count(&mut self, steps: usize, weight: f64) {
        if self.weight.len() <= steps {
            self.weight.resize(steps + 1, 0.0);
        }
        // Trees of other libraries may not tell weights.
        self.weight[steps] += if weight > 0.0 { weight } else { f64::MIN_POSITIVE };
    }

    /// The most steps before which no more than the share [`EARLY`] has arrived.
    fn shared_steps(&self) -> usize {
        let allowed = EARLY * self.weight.iter().sum::<f64>();
        let mut arrived = 0.0;
        let early = self.weight.iter().take_while(|&&weight| {
            arrived += weight;
            arrived <= allowed
        });
        early.count()
    }
}
