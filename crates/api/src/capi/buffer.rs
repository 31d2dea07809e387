//! Buffers that C passes: checked first, turned into slices afterwards.
#![allow(unsafe_code, reason = "raw pointers become slices here and nowhere else")]

use core::ffi::c_ulonglong;
use core::slice;

use super::Code;

/// A range of memory that a caller vouches for; nothing has been read or written yet.
#[derive(Clone, Copy)]
pub(super) struct Region {
    ptr: *mut u8,
    len: usize,
}

impl Region {
    /// `len` bytes at `ptr`.
    ///
    /// # Errors
    /// [`Code::Null`] unless `len` is 0; [`Code::Length`] for a length that no object can have.
    pub(super) fn new(ptr: *const u8, len: u64) -> Result<Self, Code> {
        let len = usize::try_from(len).map_err(|_| Code::Length)?;
        if len == 0 {
            return Ok(Self { ptr: core::ptr::dangling_mut(), len: 0 });
        }
        if ptr.is_null() {
            return Err(Code::Null);
        }
        if isize::try_from(len).is_err() || ptr.addr().checked_add(len).is_none() {
            return Err(Code::Length);
        }
        Ok(Self { ptr: ptr.cast_mut(), len })
    }

    /// `bits` bits at `ptr`, in whole bytes.
    pub(super) fn of_bits(ptr: *const u8, bits: u64) -> Result<Self, Code> {
        Self::new(ptr, bits.div_ceil(8))
    }

    /// Number of bytes.
    pub(super) const fn len(self) -> usize {
        self.len
    }

    fn overlaps(self, other: Self) -> bool {
        let (a, b) = (self.ptr.addr(), other.ptr.addr());
        self.len > 0 && other.len > 0 && a < b + other.len && b < a + self.len
    }

    /// The bytes, to read.
    ///
    /// # Safety
    /// The region is readable and nothing writes it while the slice lives.
    pub(super) unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: not null and within the address space by construction, readable and unchanged by contract.
        unsafe { slice::from_raw_parts(self.ptr, self.len) }
    }

    /// The bytes, to write; they are zeroed first, since C may pass memory that was never written.
    ///
    /// # Safety
    /// The region is writable and nothing else reads or writes it while the slice lives.
    pub(super) unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        // SAFETY: not null and within the address space by construction, writable and unshared by contract.
        unsafe {
            self.ptr.write_bytes(0, self.len);
            slice::from_raw_parts_mut(self.ptr, self.len)
        }
    }

    /// Copies to the region, which may overlap what was read before.
    ///
    /// # Safety
    /// The region is writable; `from` is not part of it.
    pub(super) unsafe fn write(self, from: &[u8]) {
        let n = from.len().min(self.len);
        // SAFETY: both have n bytes; apart and writable by contract.
        unsafe { self.ptr.copy_from_nonoverlapping(from.as_ptr(), n) }
    }
}

/// Checks that no output overlaps another output or an input. Inputs may overlap each other.
pub(super) fn check_apart(outputs: &[Region], inputs: &[Region]) -> Result<(), Code> {
    let clash = outputs.iter().enumerate().any(|(i, out)| {
        let others = outputs.iter().skip(i + 1).chain(inputs);
        others.into_iter().any(|other| out.overlaps(*other))
    });
    if clash { Err(Code::Overlap) } else { Ok(()) }
}

/// A length that is the capacity on entry and the written length on return.
#[derive(Clone, Copy)]
pub(super) struct Length(*mut c_ulonglong);

impl Length {
    /// The first `needed` bytes at `ptr`, whose capacity stands at `len`.
    ///
    /// # Errors
    /// [`Code::Null`], or [`Code::Length`] for a capacity below `needed`.
    ///
    /// # Safety
    /// `len` is null or points to a number that can be read and written.
    pub(super) unsafe fn output(
        ptr: *mut u8,
        len: *mut c_ulonglong,
        needed: usize,
    ) -> Result<(Region, Self), Code> {
        if ptr.is_null() || len.is_null() {
            return Err(Code::Null);
        }
        // SAFETY: not null, readable by contract; C callers on odd platforms may pass it unaligned.
        let capacity = unsafe { len.read_unaligned() };
        if capacity < needed as u64 {
            return Err(Code::Length);
        }
        Ok((Region::new(ptr, needed as u64)?, Self(len)))
    }

    /// Tells the written length.
    ///
    /// # Safety
    /// As for [`Length::output`], still.
    pub(super) unsafe fn tell(self, written: usize) {
        // SAFETY: not null by construction, writable by contract.
        unsafe { self.0.write_unaligned(written as u64) }
    }
}
