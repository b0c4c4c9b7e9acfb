//! One setter per option. Option structs can then grow without breaking programs that build them.

/// Writes one function per option: it takes the value and gives the options back. An `optional` one
/// takes a value, `Some` or `None`.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    (
        $($with:ident($field:ident: $kind:ty)),* $(,)?
        $(; optional: $($with_optional:ident($optional:ident: $inner:ty)),* $(,)?)?
    ) => {
        $(
            #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
            #[must_use]
            pub fn $with(mut self, $field: $kind) -> Self {
                self.$field = $field;
                self
            }
        )*
        $($(
            #[doc = concat!("Sets [`", stringify!($optional), "`](Self::", stringify!($optional), ").")]
            #[must_use]
            pub fn $with_optional(mut self, $optional: impl Into<Option<$inner>>) -> Self {
                self.$optional = $optional.into();
                self
            }
        )*)?
    };
}

pub(crate) use crate::setters;
