//! Loops that use the widest vectors of the processor at hand, with the same result on every one.

/// Work that is compiled a second time for processors with wider vectors.
pub(crate) trait Vectorised {
    /// What the work returns.
    type Output;
    /// The work; must be `#[inline(always)]` with all it calls.
    fn run(self) -> Self::Output;
}

/// Runs `work` with the vectors of AVX2 where this processor has them, and else with those that
/// every processor of its kind has. The result does not depend on them: no sum changes its order,
/// and products are never fused with sums.
pub(crate) fn vectorised<W: Vectorised>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        use fearless_simd::{Avx2, Level, Simd};
        use std::sync::LazyLock;

        static AVX2: LazyLock<Option<Avx2>> = LazyLock::new(|| Level::new().as_avx2());
        if let Some(avx2) = *AVX2 {
            return avx2.vectorize(
                #[inline(always)]
                || work.run(),
            );
        }
    }
    work.run()
}
