//! Memory for columns, asked for in large pages.
//!
//! A system gives memory when it is first touched, page by page. In pages of four kilobytes, that takes as long as to
//! read short replies does. The advice changes nothing else, and a system may ignore it.

use std::alloc::{GlobalAlloc, Layout, System};

/// Smaller blocks are not worth the advice.
const LARGE: usize = 4 << 20;
/// A large page, on which advice begins and ends so that it speaks of nothing but the block.
const PAGE: usize = 2 << 20;

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

/// The system's allocator, with advice.
struct LargePages;

// SAFETY: each call is the system allocator's own, whose contract the caller keeps; advice leaves what it gives as it is.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

/// The block, for which large pages are asked if it is large.
fn advised(block: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !block.is_null() {
        let before = block.addr().next_multiple_of(PAGE) - block.addr();
        let inside = size.saturating_sub(before) / PAGE * PAGE;
        // SAFETY: the range lies inside the block, and the advice neither moves nor changes it.
        unsafe { libc::madvise(block.wrapping_add(before).cast(), inside, libc::MADV_HUGEPAGE) };
    }
    block
}
