package io.loligo.server.exchange.fetch;

import io.loligo.core.message.ResponseHead;
import io.loligo.server.time.LoopTimer;
import java.util.function.Consumer;

/**
 * The answer to an unsafe request, which is not passed on before disks have forgotten what it makes
 * invalid (RFC 9111 section 4.4): who has the answer must not meet the old response again, not even
 * after a crash. It does not wait longer than requests wait for what is on disk. None of its
 * content is read meanwhile; it holds nothing that is to be released. Confined to the event loop.
 */
final class HeldAnswer extends LoopTimer.Timeout implements Consumer<Boolean> {
  /** Who is told when it goes on, once. */
  interface Owner {
    /**
     * It goes on.
     *
     * @param forgotten whether disks have confirmed that they have forgotten; else it may come back
     *     after a crash
     */
    void released(HeldAnswer answer, boolean forgotten);
  }

  private final LoopTimer timer;
  private final Owner owner;
  private ResponseHead reply;
  private long contentLength;
  private boolean ended;
  private boolean over;

  HeldAnswer(LoopTimer timer, Owner owner) {
    this.timer = timer;
    this.owner = owner;
  }

  /**
   * Begins to wait.
   *
   * @param reply borrowed
   * @param patienceMillis 0: as long as it takes
   */
  void hold(ResponseHead reply, long contentLength, long patienceMillis) {
    this.reply = reply.snapshot();
    this.contentLength = contentLength;
    timer.arm(this, patienceMillis);
  }

  ResponseHead reply() {
    return reply;
  }

  long contentLength() {
    return contentLength;
  }

  /** It has no content, and is complete. */
  void end() {
    ended = true;
  }

  boolean ended() {
    return ended;
  }

  /** The disks have had their say. */
  @Override
  public void accept(Boolean forgotten) {
    release(forgotten);
  }

  @Override
  protected void expired() {
    release(false);
  }

  private void release(boolean forgotten) {
    if (!over) {
      drop();
      owner.released(this, forgotten);
    }
  }

  /** Nobody wants it any more: the owner is not told. */
  void drop() {
    over = true;
    timer.forget(this);
  }
}
