// SPDX-License-Identifier: MIT
//
// One address of a binary, from Rust, without a crate:
//
//     rustc symbolize.rs -l tracemill && ./symbolize a.out 1189
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::{env, process, ptr, slice};

#[repr(C)]
struct Query {
    binary: *mut c_void,
    address: u64,
    why: u8,
    reserved: [u8; 3],
    first: u32,
}

#[repr(C)]
struct Call {
    function: *const u8,
    file: *const u8,
    n_function: u32,
    n_file: u32,
    line: u32,
    column: u32,
    discriminator: u32,
    inlined: bool,
    by: u8,
    reserved: [u8; 2],
    id: u32,
}

#[repr(C)]
struct Views {
    calls: *const Call,
    first: *const u32,
    own: [*mut c_void; 6],
}

extern "C" {
    fn tracemill_library_version() -> u32;
    fn tracemill_symbolizer_new_of(s: *mut *mut c_void, options: *const c_void, version: u32) -> u32;
    fn tracemill_symbolizer_free(s: *mut c_void);
    fn tracemill_error(s: *const c_void) -> *const c_char;
    fn tracemill_binary_open(s: *mut c_void, path: *const c_char, b: *mut *mut c_void) -> u32;
    fn tracemill_symbolize(s: *mut c_void, queries: *mut Query, n: usize) -> u32;
    fn tracemill_view(s: *const c_void, q: *const Query, n: usize, v: *mut Views) -> u32;
    fn tracemill_views_release(v: *mut Views);
}

unsafe fn text(p: *const u8, n: u32) -> String {
    if n == 0 {
        return "??".to_string();
    }
    String::from_utf8_lossy(slice::from_raw_parts(p, n as usize)).into_owned()
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let path = CString::new(args[1].as_str()).unwrap();
    let address = u64::from_str_radix(&args[2], 16).unwrap();

    unsafe {
        let mut s = ptr::null_mut();
        let mut binary = ptr::null_mut();
        assert_eq!(tracemill_library_version() >> 16, 1);
        assert_eq!(tracemill_symbolizer_new_of(&mut s, ptr::null(), 1 << 16), 0);
        let mut q = Query { binary: ptr::null_mut(), address, why: 0, reserved: [0; 3], first: 0 };
        let opened = tracemill_binary_open(s, path.as_ptr(), &mut binary);
        q.binary = binary;
        if opened != 0 || tracemill_symbolize(s, &mut q, 1) != 0 {
            eprintln!("{}", CStr::from_ptr(tracemill_error(s)).to_string_lossy());
            process::exit(1);
        }
        let mut v: Views = std::mem::zeroed();
        assert_eq!(tracemill_view(s, &q, 1, &mut v), 0);
        for c in slice::from_raw_parts(v.calls, *v.first.add(1) as usize) {
            println!("{}\n{}:{}", text(c.function, c.n_function), text(c.file, c.n_file), c.line);
        }
        tracemill_views_release(&mut v);
        tracemill_symbolizer_free(s);
    }
}
