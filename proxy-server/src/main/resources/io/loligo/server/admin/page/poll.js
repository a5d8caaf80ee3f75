// Reads a page of JSON now and then, while the document is seen and not paused.

/**
 * Shows what is at a path, at once and then again.
 *
 * @param isPaused whether nothing is read for now
 */
export function poll(path, seconds, isPaused, show) {
  async function read() {
    if (!document.hidden && !isPaused()) {
      try {
        const answer = await fetch(path);
        if (answer.ok) {
          show(await answer.json());
        }
      } catch {
        // the connection is lost, which the head of the page tells
      }
    }
    setTimeout(read, seconds * 1000);
  }
  read();
}
