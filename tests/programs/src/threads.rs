// SPDX-License-Identifier: MIT
//
// Threads of std, and a small executor: futures polled by four workers from one queue, as tokio does.
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{mpsc, Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

type Queue = Arc<(Mutex<Vec<Arc<Task>>>, Condvar)>;

struct Task {
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    queue: Queue,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let queue = self.queue.clone();
        queue.0.lock().unwrap().push(self);
        queue.1.notify_one();
    }
}

struct Yield(bool);

impl Future for Yield {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

async fn job(id: usize, done: mpsc::Sender<usize>) {
    let mut words = HashMap::new();
    for i in 0..50 {
        words.insert(format!("job {} word {}", id, i), i);
        Yield(false).await;
    }
    done.send(words.values().sum()).unwrap();
}

fn main() {
    let parts: Vec<_> = (0..8)
        .map(|t| thread::spawn(move || (0..1000).map(|i| format!("{}", t * i).len()).sum::<usize>()))
        .collect();
    let letters: usize = parts.into_iter().map(|p| p.join().unwrap()).sum();

    let queue: Queue = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let (done, results) = mpsc::channel();
    for id in 0..100 {
        let future = Box::pin(job(id, done.clone()));
        Arc::new(Task { future: Mutex::new(Some(future)), queue: queue.clone() }).wake();
    }
    for _ in 0..4 {
        let queue = queue.clone();
        thread::spawn(move || loop {
            let mut tasks = queue.0.lock().unwrap();
            while tasks.is_empty() {
                tasks = queue.1.wait(tasks).unwrap();
            }
            let task = tasks.pop().unwrap();
            drop(tasks);
            let mut slot = task.future.lock().unwrap();
            if let Some(mut future) = slot.take() {
                let waker = Waker::from(task.clone());
                if future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                    *slot = Some(future);
                }
            }
        });
    }
    let sum: usize = (0..100).map(|_| results.recv().unwrap()).sum();
    println!("{} letters, {} sum", letters, sum);
}
