//! Places for SAML documents and keys.

use std::{pin::pin, sync::mpsc::channel, time::Duration};

use bindery::areas::organizations::saml_work::SamlWork;
use entity::ids::OrganizationId;
use futures_util::FutureExt;
use uuid::Uuid;

fn work() -> SamlWork {
    SamlWork::new(Duration::from_millis(20))
}

fn status<T>(result: Result<T, openapi::error::ApiError>) -> u16 {
    result.map_or_else(|error| error.status().as_u16(), |_| 200)
}

/// Two places are left to others while a sender has one.
#[tokio::test]
async fn a_sender_parses_one_document_at_once() {
    let work = work();
    let (release, wait) = channel::<()>();
    let mut first = pin!(work.parse(1, move || wait.recv().is_ok()));
    assert!(first.as_mut().now_or_never().is_none());
    assert_eq!(status(work.parse(1, || ()).await), 503);
    assert_eq!(status(work.parse(2, || ()).await), 200);
    release.send(()).unwrap();
    assert!(first.await.unwrap());
    assert_eq!(status(work.parse(1, || ()).await), 200);
}

#[tokio::test]
async fn two_documents_are_parsed_at_once() {
    let work = work();
    let (release, wait) = channel::<()>();
    let (other_release, other_wait) = channel::<()>();
    let mut first = pin!(work.parse(1, move || wait.recv().is_ok()));
    let mut second = pin!(work.parse(2, move || other_wait.recv().is_ok()));
    assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
    assert_eq!(status(work.parse(3, || ()).await), 503);
    release.send(()).unwrap();
    assert!(first.await.unwrap());
    assert_eq!(status(work.parse(3, || ()).await), 200);
    other_release.send(()).unwrap();
    assert!(second.await.unwrap());
}

#[tokio::test]
async fn one_key_is_made_at_once_on_another_thread() {
    let work = work();
    let [one, other] = [1, 2].map(|n| OrganizationId::from_uuid(Uuid::from_u128(n)));
    let (release, wait) = channel::<()>();
    let mut first = pin!(work.make_key(one, move || wait.recv().is_ok()));
    assert!(first.as_mut().now_or_never().is_none());
    assert_eq!(status(work.make_key(other, || ()).await), 503);
    release.send(()).unwrap();
    assert!(first.await.unwrap());
    assert_eq!(status(work.make_key(other, || ()).await), 200);
}

#[tokio::test]
async fn an_organization_makes_few_keys_per_minute() {
    let work = work();
    let [one, other] = [1, 2].map(|n| OrganizationId::from_uuid(Uuid::from_u128(n)));
    for _ in 0..5 {
        assert_eq!(status(work.make_key(one, || ()).await), 200);
    }
    assert_eq!(status(work.make_key(one, || ()).await), 429);
    assert_eq!(status(work.make_key(other, || ()).await), 200);
}
