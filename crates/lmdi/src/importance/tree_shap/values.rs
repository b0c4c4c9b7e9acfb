//! One walk through a tree: the Shapley values of eight rows.
//!
//! At every point t of the rule, going down keeps `path`, the product of the factors above (times the
//! weight of the point), and coming back up gives `below`, the mean of the leaves below under the factors
//! below. At a split whose first child has the factor g (the second then has 1 - g):
//!
//! ```text
//! path(first) = path g                 path(second) = path (1 - g)
//! below = below(second) + g d          d = below(first) - below(second)
//! score of the feature += (o - z) sum over points of path d e
//! ```
//!
//! with o = 1 for rows that go to the first child and z the first child's share. Where the feature is new,
//! g = z (1 - t) + o t and e = 1. Where splits above on the feature send the share a this way, rows that
//! all of them send this way have g = (a z (1 - t) + o t) / f and e = a / f^2 with f = a (1 - t) + t; for other
//! rows the split only mixes its children: g = z, e = 0. All of these lie in \[0, 1\], whatever the depth.

use super::program::{Program, Repeat, Split, Step};
use super::rows::{Group, LANES, Lanes, lanes};
use crate::forest::NONE;

/// What a walk keeps for every level; may be used again for any tree.
#[derive(Debug, Default)]
pub(super) struct Stack {
    /// Point by point.
    pub(super) path: Vec<Lanes>,
    /// The factor of the first child, point by point.
    pub(super) factor: Vec<Lanes>,
    /// Output by output, point by point, of the first and of the second child at a level.
    pub(super) below: [Vec<Lanes>; 2],
    /// Whether a row goes to the first child.
    pub(super) goes: Vec<Lanes>,
    /// Whether all splits above on the same feature sent the row this way.
    pub(super) here: Vec<Lanes>,
}

impl Stack {
    /// Makes room for a tree.
    pub(super) fn fit(&mut self, program: &Program) {
        let grow = |buffer: &mut Vec<Lanes>, n: usize| {
            if buffer.len() < n {
                buffer.resize(n, [0.0; LANES]);
            }
        };
        let levels = program.levels + 1;
        let points = program.quadrature.len();
        grow(&mut self.path, levels * points);
        grow(&mut self.factor, levels * points);
        for below in &mut self.below {
            grow(below, levels * points * program.n_outputs);
        }
        grow(&mut self.goes, levels);
        grow(&mut self.here, levels);
    }

    /// Sends the rows through a split: notes who goes first and who is still here.
    #[inline(always)]
    pub(super) fn route(
        &mut self,
        program: &Program,
        split: &Split,
        rows: &Group,
    ) -> (Lanes, Lanes) {
        let goes = rows.go_first(program, split.feature, split.route);
        self.goes[split.level as usize] = goes;
        let here = match split.repeat {
            None => [1.0; LANES],
            Some(Repeat { level, second, .. }) => {
                let (before, goes) = (self.here[level as usize], self.goes[level as usize]);
                if second {
                    lanes(|lane| before[lane] * (1.0 - goes[lane]))
                } else {
                    lanes(|lane| before[lane] * goes[lane])
                }
            }
        };
        self.here[split.level as usize] = here;
        (goes, here)
    }
}

/// The factor of the first child and e, at one point.
#[derive(Clone, Copy)]
pub(super) struct Point {
    /// Factor of rows that go to the second child, and what going to the first adds.
    low: f64,
    rise: f64,
    pub(super) e: f64,
}

/// The points of a split; `REPEAT` says whether its feature was split on above.
#[inline(always)]
pub(super) fn points<'p, const REPEAT: bool>(
    program: &'p Program,
    split: &Split,
) -> impl Iterator<Item = Point> + 'p {
    let (share, repeat) = (split.share, split.repeat);
    let (s, t) = (&program.quadrature.s[..], &program.quadrature.t[..]);
    let above = repeat.map_or(1.0, |repeat| repeat.share);
    let inverse = repeat.map_or(s, |repeat| &program.inverse[repeat.inverse as usize..][..s.len()]);
    s.iter().zip(t).zip(inverse).map(move |((s, t), inverse)| {
        if REPEAT {
            Point {
                low: above * share * s * inverse,
                rise: t * inverse,
                e: above * inverse * inverse,
            }
        } else {
            Point { low: share * s, rise: *t, e: 1.0 }
        }
    })
}

/// The factor of the first child for every row.
#[inline(always)]
pub(super) fn factor<const REPEAT: bool>(
    share: f64,
    point: Point,
    goes: &Lanes,
    here: &Lanes,
) -> Lanes {
    lanes(
        |lane| {
            if !REPEAT || here[lane] > 0.0 { point.low + goes[lane] * point.rise } else { share }
        },
    )
}

/// Walks one tree and adds the scores of its features to `scores` (feature by feature, `width` outputs).
#[inline(always)]
pub(super) fn walk(
    program: &Program,
    rows: &Group,
    stack: &mut Stack,
    scores: &mut [Lanes],
    width: usize,
) {
    for (path, &weight) in stack.path.iter_mut().zip(&program.quadrature.weight) {
        *path = [weight; LANES];
    }
    for &step in &program.steps {
        let (Step::Enter(split) | Step::Turn(split) | Step::Join(split) | Step::Twig(split)) = step;
        let split = &program.splits[split as usize];
        match (step, split.repeat.is_some()) {
            (Step::Enter(_), false) => enter::<false>(program, split, rows, stack),
            (Step::Enter(_), true) => enter::<true>(program, split, rows, stack),
            (Step::Turn(_), _) => turn(program, split, stack),
            (Step::Join(_), false) => join::<false>(program, split, stack, scores, width),
            (Step::Join(_), true) => join::<true>(program, split, stack, scores, width),
            (Step::Twig(_), false) => twig::<false>(program, split, rows, stack, scores, width),
            (Step::Twig(_), true) => twig::<true>(program, split, rows, stack, scores, width),
        }
    }
}

#[inline(always)]
fn enter<const REPEAT: bool>(program: &Program, split: &Split, rows: &Group, stack: &mut Stack) {
    let n = program.quadrature.len();
    let at = split.level as usize * n;
    let (goes, here) = stack.route(program, split, rows);
    let (path, next) = stack.path[at..at + 2 * n].split_at_mut(n);
    let kept = &mut stack.factor[at..at + n];
    for (((point, path), next), kept) in
        points::<REPEAT>(program, split).zip(path).zip(next).zip(kept)
    {
        let g = factor::<REPEAT>(split.share, point, &goes, &here);
        *next = lanes(|lane| path[lane] * g[lane]);
        *kept = g;
    }
}

#[inline(always)]
fn turn(program: &Program, split: &Split, stack: &mut Stack) {
    let n = program.quadrature.len();
    let at = split.level as usize * n;
    let (path, next) = stack.path[at..at + 2 * n].split_at_mut(n);
    for (path, next) in path.iter().zip(next) {
        *next = lanes(|lane| path[lane] - next[lane]);
    }
}

#[inline(always)]
fn join<const REPEAT: bool>(
    program: &Program,
    split: &Split,
    stack: &mut Stack,
    scores: &mut [Lanes],
    width: usize,
) {
    let (n, k) = (program.quadrature.len(), program.n_outputs);
    let level = split.level as usize;
    let path = &stack.path[level * n..(level + 1) * n];
    let factor = &stack.factor[level * n..(level + 1) * n];
    let (goes, here) = (stack.goes[level], stack.here[level]);
    let [firsts, seconds] = &mut stack.below;
    for output in 0..k {
        // What this level gives to its parent, and what its children left one level below.
        let (from, to) = ((level + 1) * n * k, (level + 2) * n * k);
        let (up, first) = firsts[..to].split_at_mut(from);
        let (up_second, second) = seconds[..to].split_at_mut(from);
        let up = if split.is_second { up_second } else { up };
        let up = &mut up[(level * k + output) * n..][..n];
        let first = &first[output * n..][..n];
        let mut sum = [0.0; LANES];
        if split.leaves[1] == NONE {
            let second = &second[output * n..][..n];
            let all = points::<REPEAT>(program, split)
                .zip(path)
                .zip(factor)
                .zip(first)
                .zip(second)
                .zip(up);
            for (((((point, path), g), first), second), up) in all {
                let d = lanes(|lane| first[lane] - second[lane]);
                sum = lanes(|lane| sum[lane] + path[lane] * d[lane] * point.e);
                *up = lanes(|lane| second[lane] + g[lane] * d[lane]);
            }
        } else {
            let second = program.leaf_value[split.leaves[1] as usize + output];
            let all = points::<REPEAT>(program, split).zip(path).zip(factor).zip(first).zip(up);
            for ((((point, path), g), first), up) in all {
                let d = lanes(|lane| first[lane] - second);
                sum = lanes(|lane| sum[lane] + path[lane] * d[lane] * point.e);
                *up = lanes(|lane| second + g[lane] * d[lane]);
            }
        }
        add(program, split, &goes, &here, &sum, output, scores, width);
    }
}

#[inline(always)]
fn twig<const REPEAT: bool>(
    program: &Program,
    split: &Split,
    rows: &Group,
    stack: &mut Stack,
    scores: &mut [Lanes],
    width: usize,
) {
    let (n, k) = (program.quadrature.len(), program.n_outputs);
    let level = split.level as usize;
    let (goes, here) = stack.route(program, split, rows);
    let path = &stack.path[level * n..(level + 1) * n];
    let up = &mut stack.below[usize::from(split.is_second)][level * n * k..(level + 1) * n * k];
    let leaves = split.leaves.map(|leaf| &program.leaf_value[leaf as usize..][..k]);
    let mut sum = [0.0; LANES];
    for (q, (point, path)) in points::<REPEAT>(program, split).zip(path).enumerate() {
        let g = factor::<REPEAT>(split.share, point, &goes, &here);
        sum = lanes(|lane| sum[lane] + path[lane] * point.e);
        for output in 0..k {
            let (first, second) = (leaves[0][output], leaves[1][output]);
            up[output * n + q] = lanes(|lane| second + g[lane] * (first - second));
        }
    }
    for (output, (first, second)) in leaves[0].iter().zip(leaves[1]).enumerate() {
        let sum = lanes(|lane| sum[lane] * (first - second));
        add(program, split, &goes, &here, &sum, output, scores, width);
    }
}

#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one split's inputs and outputs")]
fn add(
    program: &Program,
    split: &Split,
    goes: &Lanes,
    here: &Lanes,
    sum: &Lanes,
    output: usize,
    scores: &mut [Lanes],
    width: usize,
) {
    let score = &mut scores[split.feature as usize * width + program.first_output + output];
    *score = lanes(|lane| score[lane] + here[lane] * (goes[lane] - split.share) * sum[lane]);
}
