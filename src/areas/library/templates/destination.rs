//! Where templates are applied.

use content::pages::Snapshot;
use entity::ids::NodeId;

/// Where a template is applied.
#[derive(Clone, Copy)]
pub struct Destination {
    pub space: NodeId,
    /// The content that the template is added to.
    pub snapshot: Snapshot,
    /// The pointer to the template in the request.
    pub pointer: &'static str,
}
