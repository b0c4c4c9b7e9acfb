//! Loops that use the widest vectors of the processor, with the same result on every processor.

/// Work that is compiled once more for each kind of wider vectors.
pub(crate) trait Vectorised {
    /// What the work returns.
    type Output;
    /// The work; must be `#[inline(always)]` with all it calls.
    fn run(self) -> Self::Output;
}

/// Runs `work` with the vectors of AVX-512 or AVX2 where this processor has them, and else with
/// those that every processor of its kind has. The result does not depend on them: no sum changes
/// its order, and products are never fused with sums.
pub(crate) fn vectorised<W: Vectorised>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        use fearless_simd::{Level, Simd};
        use std::sync::LazyLock;

        fn compiled_for<S: Simd, W: Vectorised>(vectors: S, work: W) -> W::Output {
            vectors.vectorize(
                #[inline(always)]
                || work.run(),
            )
        }

        static LEVEL: LazyLock<Level> = LazyLock::new(Level::new);
        if let Some(avx512) = LEVEL.as_avx512() {
            return compiled_for(avx512, work);
        }
        if let Some(avx2) = LEVEL.as_avx2() {
            return compiled_for(avx2, work);
        }
    }
    work.run()
}
