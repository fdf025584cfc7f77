//! Memory for columns, in large pages.
//!
//! A system gives memory when it is first touched, page by page. In pages of four kilobytes, that takes as long as to
//! read short replies does. Large blocks are mapped by themselves, at first so that they begin with a large page and
//! end with one; a system that has none gives small ones there.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{copy_nonoverlapping, null_mut};

/// A large page. Smaller blocks are the system allocator's.
const PAGE: usize = 2 << 20;
/// To what each page is aligned, and so each block at least.
const ALIGNED: usize = 4096;

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

/// The system's allocator, with mappings for large blocks.
struct LargePages;

// SAFETY: whether a block is mapped is told by its layout alone, which is the same when it is given and when it is taken
// back; what is not mapped is the system allocator's, whose contract the caller keeps.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if is_mapped(layout) { map(layout.size()) } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above; a mapping is zeroed.
        if is_mapped(layout) { map(layout.size()) } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps to sizes that a layout can have.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_mapped(layout), is_mapped(new)) {
            // SAFETY: as above.
            (false, false) => unsafe { System.realloc(block, layout, size) },
            (true, true) => remap(block, layout.size(), size),
            _ => {
                // SAFETY: both blocks are whole, are apart, and hold what is copied.
                unsafe {
                    let moved = self.alloc(new);
                    if !moved.is_null() {
                        copy_nonoverlapping(block, moved, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                    moved
                }
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_mapped(layout) {
            unmap(block, mapped(layout.size()));
        } else {
            // SAFETY: as above.
            unsafe { System.dealloc(block, layout) }
        }
    }
}

fn is_mapped(layout: Layout) -> bool {
    layout.size() >= PAGE && layout.align() <= ALIGNED
}

/// How much is mapped for a block: whole pages. No layout is so large that there is no next one.
fn mapped(size: usize) -> usize {
    size.next_multiple_of(PAGE)
}

/// Map a block that begins with a large page; null where there is no memory.
fn map(size: usize) -> *mut u8 {
    let length = mapped(size);
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, which nothing else knows of.
    let whole = unsafe { libc::mmap(null_mut(), length + PAGE, access, kind, -1, 0) };
    if whole == libc::MAP_FAILED {
        return null_mut();
    }
    let whole = whole.cast::<u8>();
    let before = whole.addr().next_multiple_of(PAGE) - whole.addr();
    unmap(whole, before);
    let block = whole.wrapping_add(before);
    unmap(block.wrapping_add(length), PAGE - before);
    advise(block, length);
    block
}

/// A mapped block in another size, at the same place or at another one.
fn remap(block: *mut u8, size: usize, new: usize) -> *mut u8 {
    // SAFETY: the range is the block's whole mapping, and the caller has the block no more once it is moved.
    let moved = unsafe { libc::mremap(block.cast(), mapped(size), mapped(new), libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED {
        return null_mut();
    }
    advise(moved.cast(), mapped(new));
    moved.cast()
}

/// Ask for large pages, which a system may have none of.
fn advise(block: *mut u8, length: usize) {
    // SAFETY: advice neither moves nor changes what is mapped there.
    unsafe { libc::madvise(block.cast(), length, libc::MADV_HUGEPAGE) };
}

fn unmap(start: *mut u8, length: usize) {
    if length > 0 {
        // SAFETY: the range is of a mapping that the caller made, and has no more use for.
        unsafe { libc::munmap(start.cast(), length) };
    }
}
