// SPDX-License-Identifier: MIT
fn main() {
    println!("hello");
}
