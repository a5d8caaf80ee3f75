package io.loligo.bench.micro;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** An upstream that has the one answer to all requests at hand. Confined to its loop. */
final class ReadyUpstream extends NoUpstream {
  private final int contentBytes;
  private final ResponseHead head;

  @SuppressWarnings("NullAway.Init") // set by on, before the first fetch
  private Executor loop;

  ReadyUpstream(int contentBytes) {
    this.contentBytes = contentBytes;
    this.head = SampleAnswer.head(contentBytes);
  }

  /** Before the first fetch. */
  void on(Executor loop) {
    this.loop = loop;
  }

  @Override
  public OriginStream fetch(
      List<Hop> hops, OutgoingRequest request, AddressCheck check, OriginEvents events) {
    Answer answer = new Answer(events);
    loop.execute(answer);
    return answer;
  }

  private final class Answer implements OriginStream, Runnable {
    private final FetchTimings timings = new FetchTimings();
    private final OriginEvents events;
    private boolean begun;

    Answer(OriginEvents events) {
      this.events = events;
    }

    @Override
    public void run() {
      if (begun) {
        events.content(
            PooledByteBufAllocator.DEFAULT.directBuffer(contentBytes).writerIndex(contentBytes));
        events.end(null);
      } else {
        begun = true;
        events.readyForContent();
        events.head(head, contentBytes);
      }
    }

    @Override
    public void read() {
      loop.execute(this);
    }

    @Override
    public void content(ByteBuf content) {
      content.release();
      throw new IllegalStateException("a request with content");
    }

    @Override
    public void endContent(@Nullable Fields trailers) {}

    @Override
    public boolean writable() {
      return true;
    }

    @Override
    public void cancel() {
      throw new IllegalStateException("the answer was not wanted");
    }

    @Override
    public ByteStream detach() {
      throw new IllegalStateException("no tunnel");
    }

    @Override
    public FetchTimings timings() {
      return timings;
    }
  }
}
