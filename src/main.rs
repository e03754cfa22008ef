//! Everything is in the library; see `bindery::commands`.

use std::process::ExitCode;

/// Many small allocations a request: this one is faster at them than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    bindery::commands::main()
}
