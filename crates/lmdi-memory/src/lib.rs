//! An allocator with a limit, which ends the process with a message if memory runs out.
//!
//! By default a program that cannot get memory aborts, or the system kills it without a message.
//! [`Limited`] passes requests on to another allocator and counts the large ones, which make up
//! nearly all of the memory of a table, a forest or an explainer. Counting small ones too would
//! serialise all allocations. If the limit is exceeded, or the other allocator fails, it says so on
//! standard error and ends the process with exit code 1.

use std::alloc::{GlobalAlloc, Layout};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Requests from this size on are counted.
const LARGE: usize = 1 << 16;

static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static USED: AtomicUsize = AtomicUsize::new(0);

/// Limits the process to about this many bytes from now on.
pub fn set_limit(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The limit of the process in bytes.
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// The bytes of large requests that are in use.
pub fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// The memory of the machine or its container, in bytes; `None` if the system does not tell.
pub fn of_machine() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |key: &str| -> Option<usize> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    let total = kilobytes("MemTotal:")?.saturating_add(kilobytes("SwapTotal:").unwrap_or(0));
    let total = total.saturating_mul(1024);
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok()).unwrap_or(usize::MAX);
    Some(total.min(container))
}

/// An allocator with a limit.
pub struct Limited<A>(pub A);

// SAFETY: every request goes to the allocator inside, with the layout that the caller gave; what is
// counted beside that does not touch memory.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Limited<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        given(unsafe { self.0.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        given(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from the allocator inside, with this layout.
        unsafe { self.0.dealloc(pointer, layout) };
        give_back(layout.size());
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        // SAFETY: the pointer came from the allocator inside, with this layout.
        let moved = given(unsafe { self.0.realloc(pointer, layout, size) }, size);
        give_back(layout.size());
        moved
    }
}

fn take(size: usize) {
    if size >= LARGE && USED.fetch_add(size, Ordering::Relaxed).saturating_add(size) > limit() {
        end(size);
    }
}

fn give_back(size: usize) {
    if size >= LARGE {
        USED.fetch_sub(size, Ordering::Relaxed);
    }
}

fn given(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() {
        end(size);
    }
    pointer
}

/// Says what happened, without asking for memory, and ends the process.
#[cold]
fn end(size: usize) -> ! {
    let mut text = [0u8; 400];
    let mut rest = &mut text[..];
    let megabytes = |bytes: usize| bytes / 1_000_000;
    let _ = write!(
        rest,
        "error: out of memory: {} MB more are needed beside {} MB in use",
        megabytes(size).max(1),
        megabytes(used().saturating_sub(size))
    );
    if limit() != usize::MAX {
        let _ = write!(rest, ", and the limit is {} MB", megabytes(limit()));
    }
    let _ = writeln!(
        rest,
        ". No half-written file was left. Use fewer rows, columns or trees, or smaller ones \
         (--max-depth, --min-samples-leaf)."
    );
    let left = rest.len();
    let length = text.len() - left;
    let _ = std::io::stderr().write_all(&text[..length]);
    std::process::exit(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;

    #[test]
    fn large_requests_are_counted_until_they_are_given_back() {
        let allocator = Limited(System);
        let layout = Layout::from_size_align(1 << 20, 8).expect("valid");
        let before = used();
        // SAFETY: what is allocated is moved and freed with the layouts it was asked for.
        unsafe {
            let pointer = allocator.alloc(layout);
            assert_eq!(used() - before, 1 << 20);
            let pointer = allocator.realloc(pointer, layout, 1 << 21);
            assert_eq!(used() - before, 1 << 21);
            allocator.dealloc(pointer, Layout::from_size_align(1 << 21, 8).expect("valid"));
        }
        assert_eq!(used(), before);
    }

    #[test]
    fn the_machine_has_some_memory() {
        assert!(of_machine().is_none_or(|bytes| bytes > 1 << 26));
    }
}
