//! Archives that are written and read.

use std::io::{Cursor, ErrorKind, Write};

use bytes::Bytes;
use futures_util::StreamExt;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::made::{Made, file, opened, packed, paths};
use crate::{ZipBytes, stream};

async fn collected(mut bytes: ZipBytes) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(chunk) = bytes.next().await {
        all.extend(chunk.unwrap());
    }
    all
}

/// An archive that is written while it is read.
async fn written(files: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    let (mut sink, bytes) = stream();
    let writing = tokio::spawn(async move {
        for (path, bytes) in files {
            sink.file(path, bytes).await.unwrap();
        }
        sink.finish().await.unwrap();
    });
    let all = collected(bytes).await;
    writing.await.unwrap();
    all
}

fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

#[tokio::test]
async fn a_written_archive_reads_back_equal() {
    let text = b"# Grip\n\nHow to hold it.\n".repeat(1000);
    let files = vec![
        ("README.md".to_owned(), text.clone()),
        ("care/Über Finger.md".to_owned(), b"# Finger\n".to_vec()),
        (".gitbook/assets/arm.png".to_owned(), noise(3 * 1024 * 1024)),
        ("empty.md".to_owned(), Vec::new()),
    ];
    let archive = written(files.clone()).await;
    assert_eq!(
        archive,
        written(files.clone()).await,
        "the same files give the same bytes"
    );
    assert!(archive.len() < 3 * 1024 * 1024 + text.len() / 10);
    let mut opened = opened(archive).unwrap();
    for (index, (path, bytes)) in files.iter().enumerate() {
        assert_eq!(opened.entries()[index].path, *path);
        assert_eq!(opened.read(index, 1 << 30).unwrap(), *bytes);
    }
}

#[tokio::test]
async fn headers_have_what_simple_readers_need() {
    let archive = written(vec![
        ("a.png".to_owned(), b"picture".to_vec()),
        ("b.md".to_owned(), b"text".to_vec()),
    ])
    .await;
    let mut rest = Cursor::new(&archive[..]);
    for name in ["a.png", "b.md"] {
        let file = zip::read::read_zipfile_from_stream(&mut rest).unwrap().unwrap();
        assert_eq!(
            (file.name().unwrap().as_ref(), file.flags().is_using_data_descriptor()),
            (name, false)
        );
        assert_eq!(file.last_modified(), Some(zip::DateTime::DEFAULT));
        assert_eq!(file.unix_mode(), None, "it is in the directory");
    }
}

#[tokio::test]
async fn many_files_fit() {
    let files = (0..70_000).map(|at| (format!("{at}.md"), Vec::new())).collect();
    assert_eq!(opened(written(files).await).unwrap().entries().len(), 70_000);
}

#[tokio::test]
async fn a_part_is_not_taken_for_the_whole() {
    let (mut sink, mut bytes) = stream();
    sink.file("a.png", noise(100_000)).await.unwrap();
    drop(sink);
    assert_eq!(bytes.next().await.unwrap().unwrap().len(), 64 * 1024);
    assert!(bytes.next().await.unwrap().is_ok());
    assert_eq!(
        bytes.next().await.unwrap().unwrap_err().kind(),
        ErrorKind::UnexpectedEof
    );
    assert!(bytes.next().await.is_none());
}

#[tokio::test]
async fn a_reader_who_left_ends_the_writing() {
    let (mut sink, bytes) = stream();
    drop(bytes);
    let error = sink.file("a.png", noise(100_000)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    assert!(sink.finish().await.is_err());
}

#[tokio::test]
async fn a_slow_reader_makes_the_writer_wait() {
    let (mut sink, bytes) = stream();
    let writing = tokio::spawn(async move {
        let picture = Bytes::from(noise(1024 * 1024));
        for at in 0..20 {
            sink.file(format!("{at}.png"), picture.clone()).await.unwrap();
        }
        sink.finish().await.unwrap();
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!writing.is_finished());
    assert!(collected(bytes).await.len() > 20 * 1024 * 1024);
    writing.await.unwrap();
}

#[tokio::test]
async fn two_files_have_two_names() {
    let (mut sink, _bytes) = stream();
    sink.file("a.md", "one").await.unwrap();
    assert!(sink.file("a.md", "two").await.is_err());
}

#[test]
fn the_folder_of_a_forge_is_left_out() {
    let folder = |name: &str| Made {
        mode: 0o040_755,
        ..file(name, b"")
    };
    let forge = [
        folder("book-main/"),
        file("book-main/a/b.md", b"x"),
        file("book-main/.gitbook.yaml", b""),
    ];
    let found = |entries: &[Made]| paths(&opened(packed(entries)).unwrap());
    assert_eq!(
        found(&forge),
        ["a/b.md File { size: 1 }", ".gitbook.yaml File { size: 0 }"]
    );
    let with_file = [&forge[..], &[file("c.md", b"")]].concat();
    assert_eq!(found(&with_file)[0], "book-main/a/b.md File { size: 1 }");
    let with_folder = [&forge[..], &[folder("other/")]].concat();
    assert_eq!(found(&with_folder)[0], "book-main/a/b.md File { size: 1 }");
    let of_macos = [&forge[..], &[file("__MACOSX/book-main/._b.md", b"attributes")]].concat();
    assert_eq!(found(&of_macos), found(&forge));
}

#[test]
fn separators_of_windows_are_understood() {
    let archive = opened(packed(&[file("a\\b.md", b"x"), file("./c.md", b"x")])).unwrap();
    assert_eq!(paths(&archive), ["a/b.md File { size: 1 }", "c.md File { size: 1 }"]);
}

#[test]
fn bytes_before_and_after_are_skipped() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a.md", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"text").unwrap();
    writer.set_comment("PK\u{5}\u{6} in a comment").unwrap();
    let archive = writer.finish().unwrap().into_inner();
    let mut opened = opened([b"#!/bin/sh\n", &archive[..], b"\n"].concat()).unwrap();
    assert_eq!(opened.read(0, 4).unwrap(), b"text");
}
