//! What the host calls. It finds the parts of the memory by `address`.
use crate::{Scanner, bytes_for};
use core::arch::wasm32;
use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, offset_of};

/// Zeros are a valid scanner, and take no room in the file.
struct Memory(UnsafeCell<MaybeUninit<Scanner>>);

// SAFETY: a module without shared memory has one thread.
unsafe impl Sync for Memory {}

static SCANNER: Memory = Memory(UnsafeCell::new(MaybeUninit::zeroed()));

fn scanner() -> &'static mut Scanner {
    // SAFETY: every part is a number, a pointer or an array of numbers, and no call runs during another.
    unsafe { (*SCANNER.0.get()).assume_init_mut() }
}

/// 0 input, 1 program, 2 names, 3 seeds, 4 rows, 5 slots, 6 shapes, 7 ends of shapes.
#[unsafe(no_mangle)]
extern "C" fn address(part: u32) -> usize {
    let shapes = offset_of!(Scanner, shapes);
    let offset = match part {
        0 => return scanner().input() as usize,
        1 => offset_of!(Scanner, program),
        2 => offset_of!(Scanner, names),
        3 => offset_of!(Scanner, seeds),
        4 => offset_of!(Scanner, rows),
        5 => offset_of!(Scanner, kept.slots),
        6 => shapes + offset_of!(crate::shapes::Shapes, arena),
        _ => shapes + offset_of!(crate::shapes::Shapes, ends),
    };
    SCANNER.0.get() as usize + offset
}

/// Makes room for so many bytes of input, once and before all else. 0 if there is not enough memory.
#[unsafe(no_mangle)]
extern "C" fn reserve(input_bytes: usize) -> u32 {
    const PAGE_BYTES: usize = 64 * 1024;
    let before = wasm32::memory_grow::<0>(bytes_for(input_bytes).div_ceil(PAGE_BYTES));
    if before == usize::MAX {
        return 0;
    }
    // SAFETY: these pages are new, and zeros.
    unsafe { scanner().reserve((before * PAGE_BYTES) as *mut u8, input_bytes) };
    1
}

#[unsafe(no_mangle)]
extern "C" fn configure() {
    scanner().configure();
}

#[unsafe(no_mangle)]
extern "C" fn join_lines(start: usize, end: usize) {
    scanner().join_lines(start, end);
}

#[unsafe(no_mangle)]
extern "C" fn begin(start: usize, end: usize) {
    scanner().begin(start, end);
}

#[unsafe(no_mangle)]
extern "C" fn advance() -> usize {
    scanner().advance()
}

#[unsafe(no_mangle)]
extern "C" fn shape_count() -> usize {
    scanner().shapes.count
}

#[panic_handler]
fn on_panic(_: &core::panic::PanicInfo) -> ! {
    wasm32::unreachable()
}
