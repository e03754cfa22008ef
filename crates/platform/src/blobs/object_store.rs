//! Object storage: the bytes of blobs in a local directory or an S3-compatible bucket.

use std::{
    io::Read,
    ops::Range,
    path::Path as FilePath,
    sync::{Arc, OnceLock},
    time::Duration,
};

use anyhow::{Context, bail};
use bytes::Bytes;
use entity::ids::BlobId;
use futures_util::{StreamExt, TryStreamExt, stream, stream::BoxStream};
use object_store::{
    GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig, aws::AmazonS3Builder,
    local::LocalFileSystem, path::Path,
};
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncSeekExt},
    time::timeout,
};
use tokio_util::io::{StreamReader, SyncIoBridge};

use crate::{config::BlobAddress, hash::Hash, tls};

/// The time for storing one blob: less than the timeout of requests, so that the caller learns the reason.
const PUT_TIMEOUT: Duration = Duration::from_secs(20);

/// The time during which a failed request to a bucket is repeated.
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of a streamed blob that are sent at once.
const WRITE_BUFFER: usize = 8 << 20;

/// Parts of an object that are sent at the same time.
const UPLOADS: usize = 2;

/// Bytes of a file that are in memory while it is sent.
const CHUNK: usize = 64 * 1024;

/// Writes an object in parts.
pub type ObjectWriter = object_store::buffered::BufWriter;

/// The name of a blob in the store.
///
/// Bytes that were dropped and are uploaded again have the same hash and a new id, so that a late removal of the old
/// bytes never removes the new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobName {
    pub hash: Hash,
    pub id: BlobId,
}

/// The store. It is opened at its first use, because most commands do not need it.
pub struct BlobStorage {
    address: BlobAddress,
    opened: OnceLock<Opened>,
}

struct Opened {
    objects: Arc<dyn ObjectStore>,
    /// Precedes all names.
    prefix: Path,
}

impl BlobStorage {
    pub fn new(address: BlobAddress) -> Self {
        Self {
            address,
            opened: OnceLock::new(),
        }
    }

    /// Opens the store, or returns the reason why it cannot be opened.
    pub fn open(&self) -> anyhow::Result<()> {
        self.opened().map(drop)
    }

    /// Writes a blob. Concurrent writers of one name write the same bytes.
    ///
    /// A file is written beside its final path, flushed and renamed, and its directory is flushed; no reader sees a part
    /// of it.
    pub async fn put(&self, name: BlobName, bytes: Bytes) -> anyhow::Result<()> {
        let opened = self.opened()?;
        let path = opened.path(name);
        let put = opened.objects.put(&path, PutPayload::from(bytes));
        timeout(PUT_TIMEOUT, put)
            .await
            .context("the file store took too long")??;
        Ok(())
    }

    /// Streams a range of the bytes. The range has to lie within them.
    pub async fn stream(
        &self,
        name: BlobName,
        range: Range<u64>,
    ) -> anyhow::Result<BoxStream<'static, std::io::Result<Bytes>>> {
        if range.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let opened = self.opened()?;
        let options = GetOptions::new().with_range(Some(GetRange::Bounded(range.clone())));
        let object = opened.objects.get_opts(&opened.path(name), options).await?;
        if object.range != range {
            bail!(
                "blob {} has only the bytes {:?} of the requested range {range:?}",
                name.hash,
                object.range
            );
        }
        Ok(match object.payload {
            GetResultPayload::File(file, _) => read_range(file.into(), range).boxed(),
            GetResultPayload::Stream(stream) => stream.map_err(std::io::Error::other).boxed(),
        })
    }

    /// Reads all bytes at once, for blobs that are known to be small.
    pub async fn read(&self, name: BlobName) -> anyhow::Result<Bytes> {
        let opened = self.opened()?;
        let object = opened.objects.get(&opened.path(name)).await?;
        Ok(object.bytes().await?)
    }

    /// Deletes a blob; does nothing if it is absent.
    pub async fn delete(&self, name: BlobName) -> anyhow::Result<()> {
        let opened = self.opened()?;
        match opened.objects.delete(&opened.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Streams the bytes of a blob to code that is not asynchronous, inside of `block_in_place`.
    pub async fn reader(&self, name: BlobName, size: u64) -> anyhow::Result<impl Read + Send + use<>> {
        Ok(SyncIoBridge::new(StreamReader::new(self.stream(name, 0..size).await?)))
    }

    /// Streams bytes to a blob, in the same way. It is there once the writer was shut down.
    pub fn writer(&self, name: BlobName) -> anyhow::Result<SyncIoBridge<ObjectWriter>> {
        let opened = self.opened()?;
        Ok(SyncIoBridge::new(opened.writer(opened.path(name), WRITE_BUFFER)))
    }

    /// Returns whether there is nothing in the store.
    pub async fn is_empty(&self) -> anyhow::Result<bool> {
        let opened = self.opened()?;
        Ok(opened.objects.list(Some(&opened.prefix)).try_next().await?.is_none())
    }

    /// Returns whether the store is a directory of this machine.
    pub fn is_local(&self) -> bool {
        matches!(self.address, BlobAddress::Local(_))
    }

    /// Writes, reads and deletes a probe with this id.
    pub async fn check(&self, id: BlobId) -> anyhow::Result<()> {
        let probe = Bytes::from_static(b"written by a check");
        let name = BlobName {
            hash: Hash::of(&probe),
            id,
        };
        self.put(name, probe.clone())
            .await
            .context("cannot write to the file store")?;
        let reading = async {
            let pieces = self.stream(name, 0..probe.len().try_into()?).await?;
            anyhow::Ok(pieces.try_collect::<Vec<_>>().await?.concat())
        };
        let read = reading.await.context("cannot read from the file store")?;
        self.delete(name).await.context("cannot delete from the file store")?;
        if read != probe {
            bail!("the file store returned other bytes than were written");
        }
        Ok(())
    }

    fn opened(&self) -> anyhow::Result<&Opened> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = Opened::open(&self.address).with_context(|| format!("cannot open {}", self.address))?;
        Ok(self.opened.get_or_init(|| opened))
    }
}

impl Opened {
    fn open(address: &BlobAddress) -> anyhow::Result<Self> {
        match address {
            BlobAddress::Local(directory) => {
                create(directory)?;
                let files = LocalFileSystem::new_with_prefix(directory)?.with_fsync(true);
                Ok(Self {
                    objects: Arc::new(files),
                    prefix: Path::default(),
                })
            }
            BlobAddress::S3 { bucket, prefix } => {
                tls::init();
                // Objects are deleted one by one, because not every store supports bulk deletion.
                let builder = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .with_disable_bulk_delete(true)
                    .with_retry(RetryConfig {
                        retry_timeout: RETRY_TIMEOUT,
                        ..RetryConfig::default()
                    });
                Ok(Self {
                    objects: Arc::new(builder.build()?),
                    prefix: Path::parse(prefix)?,
                })
            }
        }
    }

    fn writer(&self, path: Path, part: usize) -> ObjectWriter {
        ObjectWriter::with_capacity(Arc::clone(&self.objects), path, part).with_max_concurrency(UPLOADS)
    }

    /// Spreads blobs over directories, because file systems are slow with one large directory.
    fn path(&self, BlobName { hash, id }: BlobName) -> Path {
        let hash = hash.to_string();
        let directory: String = hash.chars().take(2).collect();
        self.prefix.clone().join(directory).join(format!("{hash}.{id}"))
    }
}

/// Returns a writer of the object at this address of a bucket. It is there once the writer was shut down.
pub fn object_writer(address: &BlobAddress, part: usize) -> anyhow::Result<ObjectWriter> {
    let opened = Opened::open(address)?;
    Ok(opened.writer(opened.prefix.clone(), part))
}

/// Lists the names of the objects directly in a directory, or below the prefix of a bucket.
pub async fn list_objects(address: &BlobAddress) -> anyhow::Result<Vec<String>> {
    let opened = Opened::open(address)?;
    let listed = opened.objects.list_with_delimiter(Some(&opened.prefix)).await?;
    let names = listed.objects.iter().filter_map(|object| object.location.filename());
    Ok(names.map(str::to_owned).collect())
}

/// Deletes one of the objects that [`list_objects`] returned.
pub async fn delete_object(address: &BlobAddress, name: &str) -> anyhow::Result<()> {
    let opened = Opened::open(address)?;
    opened.objects.delete(&opened.prefix.clone().join(name)).await?;
    Ok(())
}

/// Returns whether a file could not be written because the disk is full or read-only.
pub fn is_not_writable(error: &anyhow::Error) -> bool {
    use std::io::{Error, ErrorKind};
    let mut kinds = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<Error>())
        .map(Error::kind);
    kinds.any(|kind| {
        matches!(
            kind,
            ErrorKind::StorageFull | ErrorKind::ReadOnlyFilesystem | ErrorKind::QuotaExceeded
        )
    })
}

/// Creates the directory, readable by this user only, and flushes the directories above it so that it survives a crash.
fn create(directory: &FilePath) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    }
    builder.create(directory)?;
    #[cfg(unix)]
    for ancestor in directory.canonicalize()?.ancestors().skip(1).take(2) {
        std::fs::File::open(ancestor)?.sync_all()?;
    }
    Ok(())
}

fn read_range(file: File, range: Range<u64>) -> impl futures_util::Stream<Item = std::io::Result<Bytes>> {
    let begin = async move {
        let mut file = file;
        file.seek(std::io::SeekFrom::Start(range.start)).await?;
        let rest = file.take(range.end - range.start);
        Ok::<_, std::io::Error>(stream::try_unfold(rest, |mut rest| async move {
            if rest.limit() == 0 {
                return Ok(None);
            }
            let size = usize::try_from(rest.limit()).unwrap_or(CHUNK).min(CHUNK);
            let mut piece = bytes::BytesMut::with_capacity(size);
            if rest.read_buf(&mut piece).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            Ok(Some((piece.freeze(), rest)))
        }))
    };
    stream::once(begin).try_flatten()
}

impl std::fmt::Debug for BlobStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BlobStorage({})", self.address)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;

    const BYTES: Bytes = Bytes::from_static(b"0123456789");

    fn store() -> (TempDir, BlobStorage, BlobName) {
        let directory = tempfile::tempdir().unwrap();
        let store = BlobStorage::new(BlobAddress::Local(directory.path().join("blobs")));
        let name = BlobName {
            hash: Hash::of(&BYTES),
            id: BlobId::from_uuid(Uuid::from_u128(1)),
        };
        (directory, store, name)
    }

    fn blob_path(directory: &TempDir, name: BlobName) -> std::path::PathBuf {
        let hash = name.hash.to_string();
        directory
            .path()
            .join("blobs")
            .join(&hash[..2])
            .join(format!("{hash}.{}", name.id))
    }

    async fn read_part(store: &BlobStorage, name: BlobName, range: Range<u64>) -> std::io::Result<Vec<u8>> {
        let pieces: Vec<Bytes> = store.stream(name, range).await.unwrap().try_collect().await?;
        Ok(pieces.concat())
    }

    #[tokio::test]
    async fn stored_blobs_can_be_read_and_removed() {
        let (directory, store, name) = store();
        assert!(store.read(name).await.is_err());
        store.put(name, BYTES).await.unwrap();
        store.put(name, BYTES).await.unwrap();
        assert_eq!(store.read(name).await.unwrap(), BYTES);
        assert_eq!(read_part(&store, name, 0..10).await.unwrap(), b"0123456789");
        assert_eq!(read_part(&store, name, 3..5).await.unwrap(), b"34");
        assert_eq!(read_part(&store, name, 4..4).await.unwrap(), b"");
        assert!(store.stream(name, 5..11).await.is_err());
        store.check(name.id).await.unwrap();
        store.delete(name).await.unwrap();
        assert!(!blob_path(&directory, name).exists());
    }

    /// A process killed while writing leaves a partial file beside the final path, which nothing reads.
    #[tokio::test]
    async fn a_partial_file_is_not_read() {
        let (directory, store, name) = store();
        let path = blob_path(&directory, name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let part = format!("{}#1", path.display());
        fs::write(&part, b"0123").unwrap();
        assert!(store.read(name).await.is_err());
        assert!(store.stream(name, 0..4).await.is_err());
        store.put(name, BYTES).await.unwrap();
        assert_eq!(store.read(name).await.unwrap(), BYTES);
    }

    #[tokio::test]
    async fn a_truncated_file_is_an_error() {
        let (directory, store, name) = store();
        store.put(name, BYTES).await.unwrap();
        let stream = store.stream(name, 0..10).await.unwrap();
        fs::OpenOptions::new()
            .write(true)
            .open(blob_path(&directory, name))
            .unwrap()
            .set_len(4)
            .unwrap();
        assert!(stream.try_collect::<Vec<_>>().await.is_err());
        assert!(store.stream(name, 0..10).await.is_err());
    }

    /// The chain of errors that the store makes of one of the operating system.
    fn stored(error: std::io::Error) -> anyhow::Error {
        let error = object_store::Error::Generic {
            store: "LocalFileSystem",
            source: error.into(),
        };
        anyhow::Error::new(error).context("cannot store a blob")
    }

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        let kinds = [
            std::io::ErrorKind::StorageFull,
            std::io::ErrorKind::ReadOnlyFilesystem,
            std::io::ErrorKind::QuotaExceeded,
        ];
        for kind in kinds {
            assert!(is_not_writable(&stored(kind.into())));
        }
        assert!(!is_not_writable(&stored(std::io::ErrorKind::PermissionDenied.into())));
        assert!(!is_not_writable(&anyhow::anyhow!("something else")));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_directory_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let (directory, store, _) = store();
        store.open().unwrap();
        let mode = fs::metadata(directory.path().join("blobs"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
