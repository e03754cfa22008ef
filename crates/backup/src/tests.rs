use std::io::Read;

use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::*;

/// A visitor that keeps what it received.
#[derive(Debug, Default, PartialEq)]
struct Content {
    rows: Vec<(String, Vec<Value>)>,
    blobs: Vec<(String, Vec<u8>)>,
    key: Option<Vec<u8>>,
}

impl Visitor for Content {
    fn manifest(&mut self, _: &Manifest) -> anyhow::Result<()> {
        Ok(())
    }

    fn row(&mut self, table: &Table, row: Vec<Value>) -> anyhow::Result<()> {
        self.rows.push((table.name.clone(), row));
        Ok(())
    }

    fn blob(&mut self, blob: &Blob, bytes: &mut dyn Read) -> anyhow::Result<()> {
        let mut content = Vec::new();
        bytes.read_to_end(&mut content)?;
        self.blobs.push((blob.suffix.clone(), content));
        Ok(())
    }

    fn key(&mut self, sealed: &[u8]) -> anyhow::Result<()> {
        self.key = Some(sealed.to_vec());
        Ok(())
    }
}

fn manifest(has_key: bool) -> Manifest {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    let table = |name: &str| Table {
        name: name.to_owned(),
        columns: vec![column("id", Kind::Int64), column("title", Kind::Text)],
    };
    Manifest {
        product: Manifest::product(),
        format: FORMAT,
        version: "0.1.0".to_owned(),
        created_at: "2026-11-30T00:00:00Z".to_owned(),
        database: "sqlite".to_owned(),
        migrations: vec!["first".to_owned()],
        tables: ["users", "empty", "pages"].map(table).to_vec(),
        left_out: Vec::new(),
        key_check: "00".to_owned(),
        has_key,
    }
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn blobs() -> Vec<&'static [u8]> {
    let mut blobs: Vec<&[u8]> = vec![b"", b"one", b"another"];
    blobs.sort_by_key(|bytes| hash(bytes));
    blobs
}

fn archive() -> (Vec<u8>, Trailer) {
    let mut writer = Writer::new(Vec::new(), &manifest(true)).unwrap();
    writer.row(0, &[json!(1), json!("ü\n")]).unwrap();
    writer.row(0, &[json!(2), Value::Null]).unwrap();
    writer.row(2, &[json!(i64::MIN), json!("")]).unwrap();
    for bytes in blobs() {
        let mut source = bytes;
        let size = bytes.len() as u64;
        writer.blob(&hash(bytes), "a1", size, &mut source).unwrap();
    }
    writer.key(b"sealed").unwrap();
    writer.finish().unwrap()
}

fn content() -> Content {
    let row = |table: &str, row: [Value; 2]| (table.to_owned(), row.to_vec());
    Content {
        rows: vec![
            row("users", [json!(1), json!("ü\n")]),
            row("users", [json!(2), Value::Null]),
            row("pages", [json!(i64::MIN), json!("")]),
        ],
        blobs: blobs().iter().map(|bytes| ("a1".to_owned(), bytes.to_vec())).collect(),
        key: Some(b"sealed".to_vec()),
    }
}

fn read_all(bytes: &[u8]) -> anyhow::Result<(Content, Trailer)> {
    let mut content = Content::default();
    let trailer = read(bytes, &mut content)?;
    Ok((content, trailer))
}

fn refusal(bytes: &[u8]) -> String {
    format!("{:#}", read_all(bytes).unwrap_err())
}

/// An archive of these entries.
fn tar_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_ustar();
        // The builder would refuse some names.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn archives_are_read_as_written() {
    let (bytes, written) = archive();
    let (found, trailer) = read_all(&bytes).unwrap();
    assert_eq!(found, content());
    assert_eq!(trailer, written);
    assert_eq!(trailer.rows.values().copied().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((trailer.blobs, trailer.blob_bytes), (3, 10));
}

#[test]
fn rows_are_split_into_chunks() {
    let mut writer = Writer::new(Vec::new(), &manifest(false)).unwrap();
    let text = json!("x".repeat(CHUNK / 2));
    for id in 0..5 {
        writer.row(0, &[json!(id), text.clone()]).unwrap();
    }
    let (bytes, _) = writer.finish().unwrap();
    let names: Vec<_> = tar::Archive::new(&*bytes)
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().display().to_string())
        .collect();
    let chunks = (0..3).map(|chunk| format!("rows/users/{chunk}.jsonl.zst"));
    let expected: Vec<_> = [MANIFEST.to_owned()]
        .into_iter()
        .chain(chunks)
        .chain([TRAILER.to_owned()])
        .collect();
    assert_eq!(names, expected);
    assert_eq!(read_all(&bytes).unwrap().0.rows.len(), 5);
}

#[test]
fn every_truncated_archive_is_refused() {
    let (bytes, _) = archive();
    // The end is two blocks of zeros, after the trailer.
    let end = bytes.len() - 1024;
    for length in (1..end).step_by(37) {
        let refused = refusal(&bytes[..length]);
        let known = ["is cut off", "is not a backup", "is damaged"];
        assert!(known.iter().any(|words| refused.contains(words)), "{length}: {refused}");
        if length > 4096 && length % 512 == 0 {
            assert!(refused.contains("is cut off"), "{length}: {refused}");
        }
    }
}

#[test]
fn flipped_bits_change_nothing_or_are_refused() {
    let (bytes, _) = archive();
    let mut refused = 0;
    for position in 0..bytes.len() - 1024 {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x10;
        match read_all(&damaged) {
            // Padding between entries.
            Ok((found, _)) => assert_eq!(found, content(), "{position}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > bytes.len() / 4, "{refused} of {}", bytes.len());
}

#[test]
fn damaged_blobs_are_not_written() {
    let mut writer = Writer::new(Vec::new(), &manifest(false)).unwrap();
    let error = writer.blob(&hash(b"one"), "a1", 3, &mut &b"two"[..]).unwrap_err();
    assert!(error.to_string().contains("damaged bytes"), "{error}");
    let mut writer = Writer::new(Vec::new(), &manifest(false)).unwrap();
    assert!(writer.blob(&hash(b"one"), "a1", 4, &mut &b"one"[..]).is_err());
}

#[test]
fn foreign_and_newer_archives_are_refused_in_plain_words() {
    assert!(refusal(b"PK\x03\x04 a zip archive").contains("this is not a backup of Bindery"));
    assert!(refusal(b"").contains("this is not a backup of Bindery"));
    assert!(refusal(&tar_of(&[("etc/passwd", b"root")])).contains("this is not a backup of Bindery"));
    let mut newer = manifest(false);
    newer.format = FORMAT + 1;
    newer.version = "9.9.9".to_owned();
    let newer = serde_json::to_vec(&newer).unwrap();
    let refused = refusal(&tar_of(&[(MANIFEST, &newer)]));
    assert!(refused.contains("newer version 9.9.9"), "{refused}");
    let mut other = manifest(false);
    other.product = "other".to_owned();
    let other = serde_json::to_vec(&other).unwrap();
    assert!(refusal(&tar_of(&[(MANIFEST, &other)])).contains("another program"));
}

#[test]
fn entries_out_of_place_are_refused() {
    let document = serde_json::to_vec(&manifest(false)).unwrap();
    let blob = format!("blobs/{}.a1", data_encoding::HEXLOWER.encode(&hash(b"one")));
    let chunk = zstd::encode_all(&b"[1,\"a\"]\n"[..], 3).unwrap();
    for (name, bytes) in [
        ("rows/users/1.jsonl.zst", &*chunk),
        ("rows/users/00.jsonl.zst", &chunk),
        ("rows/other/0.jsonl.zst", &chunk),
        ("rows/../0.jsonl.zst", &chunk),
        ("./rows/users/0.jsonl.zst", &chunk),
        ("blobs/../../etc/passwd", b"one"),
        ("blobs/00.a1", b"one"),
        (&format!("{blob}/x"), b"one"),
        ("secret.key", b"key"),
        (MANIFEST, &document),
    ] {
        let refused = tar_of(&[(MANIFEST, &document), (name, bytes)]);
        assert!(refusal(&refused).contains("is damaged"), "{name}");
    }
    let rows = ("rows/users/0.jsonl.zst", &*chunk);
    for entries in [
        [(&*blob, &b"one"[..]), rows],
        [(&*blob, b"one"), (&*blob, b"one")],
        [rows, rows],
    ] {
        let [first, second] = entries;
        assert!(refusal(&tar_of(&[(MANIFEST, &document), first, second])).contains("is damaged"));
    }
}

#[test]
fn links_are_refused() {
    let document = serde_json::to_vec(&manifest(false)).unwrap();
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_ustar();
    header.set_size(document.len() as u64);
    builder.append_data(&mut header, MANIFEST, &*document).unwrap();
    let mut link = tar::Header::new_ustar();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    builder
        .append_link(&mut link, "rows/users/0.jsonl.zst", "/etc/passwd")
        .unwrap();
    assert!(refusal(&builder.into_inner().unwrap()).contains("is damaged"));
}

#[test]
fn names_that_are_no_identifiers_are_refused() {
    for name in ["", "users; DROP", "Users", "a\"b", &"x".repeat(64), "empty"] {
        let mut invalid = manifest(false);
        invalid.tables[0].name = name.to_owned();
        let document = serde_json::to_vec(&invalid).unwrap();
        assert!(
            refusal(&tar_of(&[(MANIFEST, &document)])).contains("invalid names"),
            "{name}"
        );
    }
}

/// A small chunk that becomes a large one is bounded by its rows and its size.
#[test]
fn a_chunk_that_grows_without_end_is_refused() {
    let document = serde_json::to_vec(&manifest(false)).unwrap();
    let endless = zstd::encode_all(std::io::repeat(b'x').take((CHUNK + MAX_ROW + 1) as u64), 1).unwrap();
    let refused = tar_of(&[(MANIFEST, &document), ("rows/users/0.jsonl.zst", &endless)]);
    assert!(refusal(&refused).contains("is damaged"));
}

#[test]
fn the_key_opens_with_its_passphrase_only() {
    let passphrase = SecretString::from("correct horse");
    let sealed = seal_key(&passphrase, "the key\n").unwrap();
    assert_eq!(*open_key(&passphrase, &sealed).unwrap(), "the key\n");
    let error = open_key(&SecretString::from("wrong"), &sealed).unwrap_err();
    assert!(error.to_string().contains("the passphrase is not the one"), "{error}");
    assert!(open_key(&passphrase, b"something else").is_err());
}
