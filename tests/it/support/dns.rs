//! A name server, in this process, with TXT records that tests set.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use hickory_resolver::proto::{
    op::{Message, MessageType, ResponseCode},
    rr::{RData, Record, rdata::TXT},
    serialize::binary::{BinDecodable, BinEncodable},
};
use tokio::{net::UdpSocket, task::JoinHandle};

type Records = Arc<Mutex<HashMap<String, Vec<String>>>>;

pub struct NameServer {
    pub address: SocketAddr,
    records: Records,
    /// The names that were asked for, in their order.
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl NameServer {
    pub async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let (records, asked) = (Records::default(), Arc::<Mutex<Vec<String>>>::default());
        let (known, names) = (Arc::clone(&records), Arc::clone(&asked));
        let task = tokio::spawn(async move {
            let mut bytes = [0; 4096];
            loop {
                let (size, client) = socket.recv_from(&mut bytes).await.unwrap();
                let query = Message::from_bytes(&bytes[..size]).unwrap();
                let name = query.queries[0].name().to_string();
                names.lock().unwrap().push(name.clone());
                let texts = known.lock().unwrap().get(&name).cloned();
                socket
                    .send_to(&answer(&query, texts).to_bytes().unwrap(), client)
                    .await
                    .unwrap();
            }
        });
        Self {
            address,
            records,
            asked,
            task,
        }
    }

    /// Sets the texts of a name.
    pub fn set(&self, name: &str, texts: &[String]) {
        self.records.lock().unwrap().insert(format!("{name}."), texts.to_vec());
    }

    /// The names that were asked for since the last call.
    pub fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn answer(query: &Message, texts: Option<Vec<String>>) -> Message {
    let mut answer = query.clone();
    answer.metadata.message_type = MessageType::Response;
    if texts.is_none() {
        answer.metadata.response_code = ResponseCode::NXDomain;
    }
    for text in texts.into_iter().flatten() {
        let name = query.queries[0].name().clone();
        answer.add_answer(Record::from_rdata(name, 60, RData::TXT(TXT::new(vec![text]))));
    }
    answer
}
