//! Where the bytes lie.

use std::{ops::Range, path::Path as FilePath, sync::Arc, sync::OnceLock};

use anyhow::{Context, bail};
use bytes::Bytes;
use entity::ids::BlobId;
use futures_util::{StreamExt, TryStreamExt, stream, stream::BoxStream};
use object_store::{
    GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt, PutPayload, aws::AmazonS3Builder,
    local::LocalFileSystem, path::Path,
};
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncSeekExt},
};

use crate::{config::BlobAddress, hash::Hash, tls};

/// How much of a file is in memory while it is sent.
const CHUNK: usize = 64 * 1024;

/// What bytes are called in the store.
///
/// Bytes that were dropped and come back have the same hash and a new id, so that removing the old ones, however late
/// it happens, never removes the new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobName {
    pub hash: Hash,
    pub id: BlobId,
}

/// The store. It is opened by its first use: most commands have none.
pub struct BlobObjects {
    address: BlobAddress,
    opened: OnceLock<Opened>,
}

struct Opened {
    objects: Arc<dyn ObjectStore>,
    /// Before all names.
    prefix: Path,
}

impl BlobObjects {
    pub fn new(address: BlobAddress) -> Self {
        Self {
            address,
            opened: OnceLock::new(),
        }
    }

    /// Opens the store, or says why that cannot be.
    pub fn open(&self) -> anyhow::Result<()> {
        self.opened().map(drop)
    }

    /// Several may write the same name at once: they write the same bytes.
    ///
    /// A file is written beside its place, flushed, moved there, and its directory flushed; nobody sees a part of it.
    pub async fn put(&self, name: BlobName, bytes: Bytes) -> anyhow::Result<()> {
        let opened = self.opened()?;
        opened.objects.put(&opened.path(name), PutPayload::from(bytes)).await?;
        Ok(())
    }

    /// A part of the bytes, piece by piece. The range has to lie within them.
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
        let found = opened.objects.get_opts(&opened.path(name), options).await?;
        if found.range != range {
            bail!(
                "of {}, only {:?} are there instead of {range:?}",
                name.hash,
                found.range
            );
        }
        Ok(match found.payload {
            GetResultPayload::File(file, _) => pieces(file.into(), range).boxed(),
            GetResultPayload::Stream(stream) => stream.map_err(std::io::Error::other).boxed(),
        })
    }

    /// All of the bytes at once, for what is known to be small.
    pub async fn read(&self, name: BlobName) -> anyhow::Result<Bytes> {
        let opened = self.opened()?;
        let found = opened.objects.get(&opened.path(name)).await?;
        Ok(found.bytes().await?)
    }

    /// Removing what is not there is fine.
    pub async fn delete(&self, name: BlobName) -> anyhow::Result<()> {
        let opened = self.opened()?;
        match opened.objects.delete(&opened.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes, reads and removes something of this name.
    pub async fn check(&self, id: BlobId) -> anyhow::Result<()> {
        let probe = Bytes::from_static(b"written by a check");
        let name = BlobName {
            hash: Hash::of(&probe),
            id,
        };
        self.put(name, probe.clone()).await.context("it cannot be written to")?;
        let reading = async {
            let pieces = self.stream(name, 0..probe.len().try_into()?).await?;
            anyhow::Ok(pieces.try_collect::<Vec<_>>().await?.concat())
        };
        let read = reading.await.context("it cannot be read")?;
        self.delete(name).await.context("nothing can be removed from it")?;
        if read != probe {
            bail!("it does not give back what was written");
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
                // Objects go one by one, which every store can do; not all can remove several at once.
                let builder = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .with_disable_bulk_delete(true);
                Ok(Self {
                    objects: Arc::new(builder.build()?),
                    prefix: Path::parse(prefix)?,
                })
            }
        }
    }

    /// Spread over directories, which file systems like better than one with everything.
    fn path(&self, BlobName { hash, id }: BlobName) -> Path {
        let hash = hash.to_string();
        let directory: String = hash.chars().take(2).collect();
        self.prefix.clone().join(directory).join(format!("{hash}.{id}"))
    }
}

/// Makes the directory, readable by nobody else, and makes sure that it survives a crash as what is put into it does.
fn create(directory: &FilePath) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    }
    builder.create(directory)?;
    #[cfg(unix)]
    for above in directory.canonicalize()?.ancestors().skip(1).take(2) {
        std::fs::File::open(above)?.sync_all()?;
    }
    Ok(())
}

fn pieces(file: File, range: Range<u64>) -> impl futures_util::Stream<Item = std::io::Result<Bytes>> {
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

impl std::fmt::Debug for BlobObjects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BlobObjects({})", self.address)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;

    const BYTES: Bytes = Bytes::from_static(b"0123456789");

    fn store() -> (TempDir, BlobObjects, BlobName) {
        let directory = tempfile::tempdir().unwrap();
        let store = BlobObjects::new(BlobAddress::Local(directory.path().join("blobs")));
        let name = BlobName {
            hash: Hash::of(&BYTES),
            id: BlobId::from_uuid(Uuid::from_u128(1)),
        };
        (directory, store, name)
    }

    fn place(directory: &TempDir, name: BlobName) -> std::path::PathBuf {
        let hash = name.hash.to_string();
        directory
            .path()
            .join("blobs")
            .join(&hash[..2])
            .join(format!("{hash}.{}", name.id))
    }

    async fn part(store: &BlobObjects, name: BlobName, range: Range<u64>) -> std::io::Result<Vec<u8>> {
        let pieces: Vec<Bytes> = store.stream(name, range).await.unwrap().try_collect().await?;
        Ok(pieces.concat())
    }

    #[tokio::test]
    async fn what_was_put_can_be_read_and_removed() {
        let (directory, store, name) = store();
        assert!(store.read(name).await.is_err());
        store.put(name, BYTES).await.unwrap();
        store.put(name, BYTES).await.unwrap();
        assert_eq!(store.read(name).await.unwrap(), BYTES);
        assert_eq!(part(&store, name, 0..10).await.unwrap(), b"0123456789");
        assert_eq!(part(&store, name, 3..5).await.unwrap(), b"34");
        assert_eq!(part(&store, name, 4..4).await.unwrap(), b"");
        assert!(store.stream(name, 5..11).await.is_err());
        store.check(name.id).await.unwrap();
        store.delete(name).await.unwrap();
        assert!(!place(&directory, name).exists());
    }

    /// What a kill in the middle of writing leaves is a part beside the place, which nobody reads and which is in
    /// nobody's way.
    #[tokio::test]
    async fn a_part_that_was_left_behind_is_not_seen() {
        let (directory, store, name) = store();
        let place = place(&directory, name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        let part = format!("{}#1", place.display());
        fs::write(&part, b"0123").unwrap();
        assert!(store.read(name).await.is_err());
        assert!(store.stream(name, 0..4).await.is_err());
        store.put(name, BYTES).await.unwrap();
        assert_eq!(store.read(name).await.unwrap(), BYTES);
    }

    #[tokio::test]
    async fn a_file_that_lost_its_end_is_an_error() {
        let (directory, store, name) = store();
        store.put(name, BYTES).await.unwrap();
        let stream = store.stream(name, 0..10).await.unwrap();
        fs::OpenOptions::new()
            .write(true)
            .open(place(&directory, name))
            .unwrap()
            .set_len(4)
            .unwrap();
        assert!(stream.try_collect::<Vec<_>>().await.is_err());
        assert!(store.stream(name, 0..10).await.is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn nobody_else_reads_the_directory() {
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
