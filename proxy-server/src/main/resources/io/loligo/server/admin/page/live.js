// The state of the proxy each second, as server-sent events.

const SILENCE_MILLIS = 6000;
const AGAIN_MILLIS = 3000;

/**
 * Listens from now on, and connects again by itself.
 *
 * @param onState gets each state of the proxy
 * @param onConnection gets 'live', 'silent' (no event for 6 seconds) or 'lost'
 */
export function listen(onState, onConnection) {
  let source = null;
  let silence = 0;
  let again = 0;

  function heard() {
    clearTimeout(silence);
    silence = setTimeout(() => onConnection('silent'), SILENCE_MILLIS);
  }

  function connect() {
    clearTimeout(again);
    source = new EventSource('/live');
    source.onmessage = event => {
      heard();
      onConnection('live');
      onState(JSON.parse(event.data));
    };
    source.onerror = () => {
      clearTimeout(silence);
      onConnection('lost');
      if (source.readyState === EventSource.CLOSED) {
        again = setTimeout(connect, AGAIN_MILLIS);
      }
    };
  }

  connect();
  addEventListener('pagehide', () => source.close());
  addEventListener('pageshow', event => event.persisted && connect());
}
