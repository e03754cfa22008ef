//! The payloads of events. They are stored sealed: some have configurations, or requests of visitors with their cookies.

use entity::{ids::DeliveryId, integrations::deliveries::Model};
use platform::secrets::{Secrets, Unsealable};
use sea_orm::DbErr;

pub fn seal(secrets: &Secrets, event: DeliveryId, payload: &str) -> Result<Vec<u8>, DbErr> {
    let sealed = secrets.seal(&purpose(event), payload.as_bytes());
    sealed.map_err(|error| DbErr::Custom(error.to_string()))
}

pub fn open(secrets: &Secrets, row: &Model) -> Result<String, Unsealable> {
    let opened = secrets.open(&purpose(row.id), &row.payload)?;
    Ok(String::from_utf8_lossy(&opened).into_owned())
}

fn purpose(event: DeliveryId) -> String {
    format!("payload of the event {event}")
}
