//! exit 1
//! 3: error: vgpucc: a surface reference, other than a surface object, is not
surface<void, 2> s;
