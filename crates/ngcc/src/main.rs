//! stub
fn main(){ println!("hi"); }
