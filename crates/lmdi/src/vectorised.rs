//! Loops that use the widest vectors of the processor at hand, with the same result on every one.

/// Work that is compiled a second time for processors with wider vectors.
pub(crate) trait Vectorised {
    /// What the work returns.
    type Output;
    /// The work; must be `#[inline(always)]` with all it calls.
    fn run(self) -> Self::Output;
}

struct Dispatched<W>(W);

impl<W: Vectorised> pulp::NullaryFnOnce for Dispatched<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.0.run()
    }
}

/// Runs `work` with the widest vectors of this processor. The result does not depend on them: no
/// sum changes its order, and products are never fused with sums.
pub(crate) fn vectorised<W: Vectorised>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(Dispatched(work))
}
