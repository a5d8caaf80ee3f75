package io.loligo.server.exchange;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;

/**
 * Stands in for whoever will answer once a name is resolved or the disk was asked. Confined to the
 * client's event loop. No content can arrive before, for nobody asked for any.
 */
final class Deferred implements ClientEvents {
  private ClientEvents successor;
  private boolean settled;
  private boolean gone;

  /** Whether the client left meanwhile. */
  boolean over() {
    return gone;
  }

  /** Passes everything on to {@code successor} from now on; null: the answer is complete. */
  void become(ClientEvents successor) {
    this.successor = successor;
    this.settled = true;
    if (gone && successor != null) {
      successor.gone(); // left while the answer was begun
    }
  }

  @Override
  public void content(ByteBuf content) {
    if (successor != null) {
      successor.content(content);
    } else {
      content.release();
    }
  }

  @Override
  public void contentEnd(Fields trailers) {
    if (successor != null) {
      successor.contentEnd(trailers);
    }
  }

  @Override
  public void contentFailed(ParseFailure failure) {
    if (successor != null) {
      successor.contentFailed(failure);
    }
  }

  @Override
  public void writable() {
    if (successor != null) {
      successor.writable();
    }
  }

  @Override
  public void gone() {
    gone = true;
    if (settled && successor != null) {
      successor.gone();
    }
  }
}
