//! The site at an address, and whether it lets the visitor in.

use entity::timestamp::Timestamp;
use openapi::error::ApiError;
use url::Url;

use super::{
    address::Address,
    preview::Preview,
    visitor::{Admission, Visitor},
};

use crate::areas::publishing::{Publishing, visits::Visit};

pub struct Opening {
    pub address: Address,
    pub admission: Admission,
}

impl Opening {
    /// Opens the site at an address. `of_caller`: the preview whose token the caller has. `None`: there is no site at the address, or the
    /// preview has ended.
    pub async fn at(
        publishing: &Publishing,
        url: &Url,
        visitor: Visitor,
        of_caller: Option<(Visit, Timestamp)>,
    ) -> Result<Option<Self>, ApiError> {
        let is_by_preview = of_caller.is_some();
        if let Some(preview) = Preview::at(publishing, url, of_caller) {
            let admitted = preview.admit(publishing).await?;
            return Ok(admitted.map(|(admission, address)| Self { address, admission }));
        }
        if is_by_preview {
            return Ok(None);
        }
        let Some(address) = Address::find(publishing, url).await? else {
            return Ok(None);
        };
        let admission = visitor.admit(publishing, &address).await?;
        Ok(Some(Self { address, admission }))
    }
}
