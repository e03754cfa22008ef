//! Files that are sent along, and files that the server fetches.

use std::time::Instant;

use base64::{Engine, engine::general_purpose::STANDARD};
use bindery::areas::authoring::editor::uploads::{
    FETCH_TIMEOUT, MAX_INLINE_BYTES, Upload, UploadSource, Uploader, store_upload,
};

use content::pages::File;

use platform::{blobs, hash::Hash};

use entity::ids::{OrganizationId, UserId};
use openapi::error::ApiError;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::support::{
    database::{TestDatabase, on_each_database},
    service::Service,
};

on_each_database![
    a_file_that_was_sent_is_stored,
    faults_of_a_file_name_their_line,
    a_file_is_fetched_only_from_where_the_server_may_reach,
];

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";

/// It need not exist.
const UPLOADER: Uploader = Uploader {
    organization: OrganizationId::from_uuid(uuid::Uuid::max()),
    user: UserId::from_uuid(uuid::Uuid::max()),
};

const PLACE: &str = "/body/changes/0/files/2";

fn sent(name: &str, content_type: &str, bytes: &[u8]) -> Upload {
    Upload {
        name: name.to_owned(),
        source: UploadSource::Base64 {
            text: STANDARD.encode(bytes),
            content_type: Some(content_type.to_owned()),
        },
    }
}

fn until() -> Instant {
    Instant::now() + FETCH_TIMEOUT
}

fn fetched(url: &str) -> Upload {
    Upload {
        name: "a.png".to_owned(),
        source: UploadSource::Url {
            url: url.to_owned(),
            content_type: None,
        },
    }
}

async fn stored(service: &Service, file: &File) -> u64 {
    let size = entity_size(service, file.blob).await;
    assert_eq!(size, file.size);
    size
}

async fn entity_size(service: &Service, hash: Hash) -> u64 {
    use entity::platform::blobs::{Column, Entity};
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
    let row = Entity::find()
        .filter(Column::Hash.eq(hash.to_vec()))
        .one(service.app.kernel.db.read())
        .await;
    let row = row.unwrap().unwrap();
    let name = blobs::BlobName { hash, id: row.id };
    assert_eq!(
        Hash::of(&service.app.kernel.blobs.objects.read(name).await.unwrap()),
        hash
    );
    row.size.try_into().unwrap()
}

async fn a_file_that_was_sent_is_stored(database: TestDatabase) {
    let service = Service::start(database).await;
    let file = store_upload(
        &service.app.kernel,
        UPLOADER,
        sent("Plan.PNG", "IMAGE/PNG", PNG),
        PLACE,
        until(),
    )
    .await
    .unwrap();
    assert_eq!(
        (file.name.as_str(), file.content_type.as_str()),
        ("Plan.PNG", "image/png")
    );
    assert_eq!((file.dimensions, file.blob), (Some((640, 480)), Hash::of(PNG)));
    assert_eq!(stored(&service, &file).await, PNG.len() as u64);

    let other = store_upload(
        &service.app.kernel,
        UPLOADER,
        sent("other.bin", "application/x-other", PNG),
        PLACE,
        until(),
    )
    .await
    .unwrap();
    assert_ne!(other.id, file.id);
    assert_eq!((other.blob, other.dimensions), (file.blob, None));

    let largest = store_upload(
        &service.app.kernel,
        UPLOADER,
        sent("a.bin", "application/zip", &vec![7; MAX_INLINE_BYTES]),
        PLACE,
        until(),
    )
    .await
    .unwrap();
    assert_eq!(stored(&service, &largest).await, MAX_INLINE_BYTES as u64);
    let unpadded = Upload {
        name: "a.txt".to_owned(),
        source: UploadSource::Base64 {
            text: "aGk".to_owned(),
            content_type: None,
        },
    };
    let file = store_upload(&service.app.kernel, UPLOADER, unpadded, PLACE, until())
        .await
        .unwrap();
    assert_eq!(
        (file.size, file.content_type.as_str()),
        (2, "text/plain; charset=utf-8")
    );
}

/// The pointer and code of the one thing that is wrong.
fn detail(error: &ApiError) -> (String, String) {
    let body: Value = serde_json::to_value(error.body(None)).unwrap();
    assert_eq!(body["error"]["code"], 400, "{body}");
    let detail = &body["error"]["details"][0];
    let text = |member: &str| detail[member].as_str().unwrap().to_owned();
    (text("pointer"), text("code"))
}

async fn faults_of_a_file_name_their_line(database: TestDatabase) {
    let service = Service::start(database).await;
    let with = |base64: &str| Upload {
        name: "a.txt".to_owned(),
        source: UploadSource::Base64 {
            text: base64.to_owned(),
            content_type: Some("text/plain".to_owned()),
        },
    };
    let slightly = STANDARD.encode(vec![0; MAX_INLINE_BYTES + 1]);
    for (upload, member, code) in [
        (sent("../a.txt", "text/plain", b"x"), "name", "file-name"),
        (sent("a", "text/plain", b"x"), "name", "file-name"),
        (sent("a.txt", "text", b"x"), "contentType", "media-type"),
        (with("a"), "base64", "base64"),
        (with("!!!!"), "base64", "base64"),
        (with(&slightly), "base64", "file-size"),
        (with(&"A".repeat(4_000_000)), "base64", "file-size"),
        (fetched("ftp://example.com/a.png"), "url", "not-fetched"),
        (fetched("http://127.0.0.1:9/a.png"), "url", "not-fetched"),
        (fetched("http://localhost:9/a.png"), "url", "not-fetched"),
    ] {
        let what = format!("{upload:?}").chars().take(100).collect::<String>();
        let error = store_upload(&service.app.kernel, UPLOADER, upload, PLACE, until())
            .await
            .unwrap_err();
        assert_eq!(detail(&error), (format!("{PLACE}/{member}"), code.to_owned()), "{what}");
    }
}

/// A server that gives the same to everybody.
async fn server(head: &'static str, body: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let head = format!(
                "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(body).await;
        }
    });
    format!("http://{address}/a.png")
}

async fn a_file_is_fetched_only_from_where_the_server_may_reach(database: TestDatabase) {
    let service = Service::start_with(database, |flags| {
        flags.allow_private_addresses = Some("127.0.0.1".to_owned());
    })
    .await;
    let typed = server("200 OK\r\nContent-Type: image/png; x=y", PNG).await;
    let untyped = server("200 OK", PNG).await;
    for url in [&typed, &untyped] {
        let file = store_upload(&service.app.kernel, UPLOADER, fetched(url), PLACE, until())
            .await
            .unwrap();
        assert_eq!(
            (file.content_type.as_str(), file.dimensions),
            ("image/png", Some((640, 480)))
        );
        assert_eq!(stored(&service, &file).await, PNG.len() as u64);
    }
    let told = Upload {
        name: "a.png".to_owned(),
        source: UploadSource::Url {
            url: typed.clone(),
            content_type: Some("application/zip".to_owned()),
        },
    };
    assert_eq!(
        store_upload(&service.app.kernel, UPLOADER, told, PLACE, until())
            .await
            .unwrap()
            .content_type,
        "application/zip"
    );

    let inward = server("302 Found\r\nLocation: http://169.254.169.254/latest", b"").await;
    let missing = server("404 Not Found", b"").await;
    for url in [inward, missing] {
        let error = store_upload(&service.app.kernel, UPLOADER, fetched(&url), PLACE, until())
            .await
            .unwrap_err();
        assert_eq!(
            detail(&error),
            (format!("{PLACE}/url"), "not-fetched".to_owned()),
            "{url}"
        );
    }
}
