//! Archives that want to do harm, and damaged ones.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::made::{ENCRYPTED, LIMITS, Made, UTF8, crc, file, large_end, opened, packed, paths, refusal};
use crate::{Archive, ArchiveError, Limits};

const NO_ARCHIVE: &str = "it is not a zip archive, or a part of it is missing";

fn deflated(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn names_that_lead_out_are_refused() {
    let names = [
        "../x.md",
        "a/../../x.md",
        "a/../x.md",
        "a/..",
        "/etc/passwd",
        "\\windows\\x.md",
        "..\\x.md",
        "a\\..\\x.md",
        "C:\\x.md",
        "c:x.md",
        "./c:/x.md",
        "\\\\server\\share\\x.md",
        "a\0.md",
    ];
    for name in names {
        let found = refusal(packed(&[file("README.md", b"# Home\n"), file(name, b"x")]));
        assert_eq!(found, format!("the name `{name}` leads out of the archive"));
    }
}

#[test]
fn links_and_devices_are_no_files() {
    let with_mode = |name: &str, mode| Made {
        mode,
        ..file(name, b"/etc/passwd")
    };
    let mut archive = opened(packed(&[
        with_mode("link.md", 0o120_777),
        with_mode("device.md", 0o020_644),
        with_mode("pipe.md", 0o010_644),
        with_mode("file.md", 0),
    ]))
    .unwrap();
    let expected = [
        "link.md Symlink",
        "device.md Special",
        "pipe.md Special",
        "file.md File { size: 11 }",
    ];
    assert_eq!(paths(&archive), expected);
    for index in 0..3 {
        assert!(archive.read(index, 100).is_err());
    }
    assert_eq!(archive.read(3, 11).unwrap(), b"/etc/passwd");
    assert_eq!(
        archive.read(3, 10).unwrap_err().to_string(),
        "it has more than 10 bytes"
    );
    assert!(archive.read(4, 10).is_err());
}

#[test]
fn bytes_that_belong_to_several_files_are_refused() {
    let twice = Made {
        offset: Some(0),
        ..file("b.md", b"text")
    };
    let same = Made {
        offset: Some(0),
        ..file("c.md", b"text")
    };
    assert_eq!(refusal(packed(&[twice, same])), "parts of it belong to several files");

    // The bytes of the first are the header and the bytes of the second.
    let inner = packed(&[file("inner.md", b"text")]);
    let outer = Made {
        bytes: inner[..42].to_vec(),
        size: 42,
        ..file("outer.md", b"")
    };
    let inside = Made {
        offset: Some(38),
        ..file("inner.md", b"text")
    };
    assert_eq!(refusal(packed(&[outer, inside])), "parts of it belong to several files");
}

#[test]
fn files_that_grow_much_are_refused() {
    let blanks = vec![b' '; 4 * 1024 * 1024];
    let found = refusal(deflated(&[("README.md", b"# Home\n"), ("bomb.md", &blanks)]));
    assert_eq!(found, "the file `bomb.md` is compressed to less than 1/200 of its size");
    assert!(opened(deflated(&[("small.md", &blanks[..1024 * 1024])])).is_ok());

    // A size that is a lie limits what is read.
    let mut archive = deflated(&[("bomb.md", &blanks)]);
    let size = u32::try_from(blanks.len()).unwrap().to_le_bytes();
    let places: Vec<usize> = archive
        .windows(4)
        .enumerate()
        .filter(|(_, found)| *found == size)
        .map(|(at, _)| at)
        .collect();
    for at in places {
        archive[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let mut archive = opened(archive).unwrap();
    let error = archive.read(0, 1 << 30).unwrap_err().to_string();
    assert!(error.contains("larger than its declared"), "{error}");
}

#[test]
fn the_bytes_of_all_files_are_limited() {
    let limits = Limits { bytes: 9, ..LIMITS };
    let archive = packed(&[file("a.md", b"12345"), file("b.md", b"12345")]);
    let refused = Archive::open(Cursor::new(archive), limits);
    assert!(matches!(refused.err(), Some(ArchiveError::TooLarge(9))));
}

#[test]
fn an_archive_in_an_archive_is_a_file() {
    let inner = packed(&[file("../../etc/passwd", b"x")]);
    let mut outer = opened(packed(&[file("README.md", b"# Home\n"), file("inner.zip", &inner)])).unwrap();
    assert_eq!(outer.entries().len(), 2);
    assert_eq!(outer.read(1, 1000).unwrap(), inner);
}

#[test]
fn truncated_or_foreign_input_is_refused() {
    let whole = packed(&[file("a.md", b"text"), file("b.md", b"text")]);
    for length in 0..whole.len() {
        assert_eq!(refusal(whole[..length].to_vec()), NO_ARCHIVE, "{length} bytes");
    }
    for other in [&b"# Markdown\n"[..], b"PK", b"\x1f\x8b\x08\0", &[0; 100_000]] {
        assert_eq!(refusal(other.to_vec()), NO_ARCHIVE);
    }
    assert_eq!(paths(&opened(packed(&[])).unwrap()), [""; 0]);
}

#[test]
fn encrypted_files_are_refused() {
    let secret = Made {
        flags: UTF8 | ENCRYPTED,
        ..file("secret.md", b"x")
    };
    assert_eq!(refusal(packed(&[secret])), "the file `secret.md` is encrypted");
}

#[test]
fn a_name_twice_is_refused() {
    let twice = packed(&[file("a.md", b"one"), file("b.md", b"x"), file("a.md", b"two")]);
    assert_eq!(refusal(twice), "several files have the same name");
    let in_other_words = packed(&[file("a/b.md", b"one"), file("a//./b.md", b"two")]);
    assert_eq!(refusal(in_other_words), "several files have the name `a/b.md`");
}

#[test]
fn names_that_look_the_same_are_different_files() {
    let names = ["Über.md", "U\u{308}ber.md", "über.md", "ÜBER.md"];
    let files: Vec<Made> = names.iter().map(|name| file(name, name.as_bytes())).collect();
    let mut archive = opened(packed(&files)).unwrap();
    for (index, name) in names.iter().enumerate() {
        assert_eq!(archive.entries()[index].path, *name);
        assert_eq!(archive.read(index, 100).unwrap(), name.as_bytes());
    }
}

#[test]
fn names_that_are_not_utf8_are_named() {
    let named = |name: &[u8], flags| Made {
        name: name.to_vec(),
        flags,
        ..file("", b"x")
    };
    let archive = opened(packed(&[
        named(b"\xe9t\xe9.md", 0),
        named(b"\xeat\xea.md", UTF8),
        named(b"caf\xc3\xa9.md", 0),
    ]))
    .unwrap();
    let lossy = "\u{fffd}t\u{fffd}.md InvalidName";
    assert_eq!(paths(&archive), [lossy, lossy, "café.md File { size: 1 }"]);
}

#[test]
fn the_number_of_files_is_limited() {
    let files = |count: usize| -> Vec<Made> { (0..count).map(|at| file(&format!("{at}"), b"")).collect() };
    assert_eq!(opened(packed(&files(200_000))).unwrap().entries().len(), 200_000);
    assert_eq!(refusal(packed(&files(200_001))), "it has more than 200000 files");
    let few = Limits { files: 2, ..LIMITS };
    assert!(matches!(
        Archive::open(Cursor::new(packed(&files(3))), few).err(),
        Some(ArchiveError::TooManyFiles(2))
    ));
}

#[test]
fn claims_reserve_no_memory() {
    let end = b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0";
    for (count, words) in [
        (u64::MAX, "it has more than 200000 files"),
        (1 << 40, "it has more than 200000 files"),
    ] {
        let mut archive = vec![0; 1000];
        archive.extend(large_end(count, 0, 1000));
        archive.extend(end);
        assert_eq!(refusal(archive), words);
    }
    // A record elsewhere would be another way to say it.
    let mut archive = large_end(1 << 40, 0, 0);
    archive.truncate(56);
    archive.extend([0; 100]);
    archive.extend(&large_end(1 << 40, 0, 0)[56..]);
    archive.extend(end);
    assert_eq!(refusal(archive), NO_ARCHIVE);
}

#[test]
fn a_large_directory_is_refused() {
    let name = |at: usize| format!("{at}{}", "n".repeat(60_000));
    let files: Vec<Made> = (0..1_200).map(|at| file(&name(at), b"")).collect();
    assert_eq!(
        refusal(packed(&files)),
        "its list of files has more than 67108864 bytes"
    );
}

#[test]
fn damage_is_an_error() {
    let wrong = Made {
        crc: crc(b"other"),
        ..file("a.md", b"text")
    };
    let strange = Made {
        method: 12,
        ..file("b.md", b"text")
    };
    let mut archive = opened(packed(&[wrong, strange])).unwrap();
    assert!(archive.read(0, 100).is_err());
    assert!(archive.read(1, 100).is_err());

    let whole = deflated(&[("a.md", &b"text ".repeat(20)), ("b/c.md", b"other")]);
    for at in 0..whole.len() {
        for byte in [0, 0xff, whole[at] ^ 1, whole[at] ^ 0x80] {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            let Ok(mut archive) = opened(damaged) else { continue };
            for index in 0..archive.entries().len() {
                let _ = archive.read(index, 1000);
            }
        }
    }
}
