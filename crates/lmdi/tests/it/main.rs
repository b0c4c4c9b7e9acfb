//! The library from the outside. Folders are those of `src`; what several tests need is in
//! `support`. Tests of internals, such as the solvers of `glm`, live beside them in `src`.

mod explanation;
mod file;
mod forest;
mod importance;
mod support;
