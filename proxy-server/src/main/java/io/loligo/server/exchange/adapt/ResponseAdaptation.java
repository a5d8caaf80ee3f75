package io.loligo.server.exchange.adapt;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.adapt.Adaptation;
import io.loligo.server.adapt.Adaptations;
import io.loligo.server.adapt.Adapted;
import io.loligo.server.adapt.IcapMessage;
import io.loligo.server.adapt.IcapService;
import io.loligo.server.adapt.Original;
import io.loligo.server.adapt.ServiceGroup;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stands between an origin and a fetch, and passes the response through services (RESPMOD). The
 * fetch sees the adapted response, so that is what is stored and shared. Without a service that
 * applies, everything is passed on as it is. Confined to the event loop of the fetch.
 */
public final class ResponseAdaptation implements OriginEvents, Original {
  private final Adaptations loop;
  private final ExchangeSettings settings;
  private final Request request;
  private final OriginEvents taker;
  private @Nullable OriginStream origin;
  private boolean originOver;
  private boolean over;

  private @Nullable ServicePlan plan;

  /** The stages begun so far: the content goes into the first and comes out of the last. */
  private @Nullable Stage first;

  private @Nullable Stage last;

  /**
   * Before {@code taker}.
   *
   * @param request the request of the fetch, a snapshot
   */
  public ResponseAdaptation(
      Adaptations loop, ExchangeSettings settings, Request request, OriginEvents taker) {
    this.loop = loop;
    this.settings = settings;
    this.request = request;
    this.taker = taker;
  }

  /** Behind {@code stream}, whose events come to this object. Returns the stream for the fetch. */
  public OriginStream over(OriginStream stream) {
    origin = stream;
    return new Face(stream);
  }

  private OriginStream origin() {
    assert origin != null : "no request was sent";
    return origin;
  }

  // ---- events of the origin

  @Override
  public void readyForContent() {
    taker.readyForContent();
  }

  @Override
  public void interim(ResponseHead head) {
    taker.interim(head);
  }

  @Override
  public void writable() {
    taker.writable();
  }

  @Override
  public void head(@Nullable ResponseHead head, long contentLength) {
    ServicePlan chosen = head == null || head.status() < 200 ? null : choose(head);
    if (head == null || chosen == null) {
      taker.head(head, contentLength);
    } else {
      plan = chosen;
      origin().timings().adapters = chosen.names();
      first = begin(0, head.snapshot(), contentLength, this);
    }
  }

  private @Nullable ServicePlan choose(ResponseHead head) {
    List<IcapService> planned = request.adaptation().planned();
    if (!planned.isEmpty()) {
      return new ServicePlan(loop.settings(), planned);
    }
    request.reply(head);
    try {
      // a rule that cannot be decided any more applies: it may be there to protect the client
      ServiceGroup group = ServiceChoice.of(loop, request, /* responses= */ true, verdict -> true);
      return group == null ? null : new ServicePlan(loop.settings(), group);
    } finally {
      request.forgetReply();
    }
  }

  @Override
  public void content(ByteBuf content) {
    if (first == null) {
      taker.content(content);
    } else {
      first.adaptation.content(content);
    }
  }

  @Override
  public void readComplete() {
    if (first == null) {
      taker.readComplete();
    } else {
      first.adaptation.readComplete();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    originOver = true;
    if (first == null) {
      over = true;
      taker.end(trailers);
    } else {
      first.adaptation.end(trailers);
    }
  }

  @Override
  public void failed(FetchFailure failure) {
    originOver = true;
    if (!over) {
      stop();
      taker.failed(failure);
    }
  }

  // ---- the origin's response, as the first stage reads it

  @Override
  public void read() {
    origin().read();
  }

  @Override
  public void cancel() {
    if (!originOver) {
      originOver = true;
      origin().cancel();
    }
  }

  private ServicePlan plan() {
    assert plan != null : "no service was chosen";
    return plan;
  }

  private void stop() {
    over = true;
    if (last != null) {
      last.adaptation.cancel();
    }
  }

  // ---- stages

  private Stage begin(int number, ResponseHead head, long contentLength, Original before) {
    Stage stage = new Stage(number, head, contentLength, before);
    last = stage;
    stage.adaptation.start();
    return stage;
  }

  /** The passage through one service. */
  private final class Stage implements Adapted {
    private final int number;
    private final ResponseHead head;
    private final long contentLength;
    private final Adaptation adaptation;
    private @Nullable Stage next;

    Stage(int number, ResponseHead head, long contentLength, Original before) {
      this.number = number;
      this.head = head;
      this.contentLength = contentLength;
      this.adaptation =
          new Adaptation(
              loop,
              request.loop(),
              request.allocator(),
              plan().stage(number),
              message(),
              before,
              this);
    }

    private IcapMessage message() {
      request.reply(head);
      try {
        return ServiceChoice.message(
            loop, settings, request, head, contentLength, origin().timings());
      } finally {
        request.forgetReply();
      }
    }

    @Override
    public void answered(IcapService service, Fields fields) {
      plan().answered(number, service, fields, request);
      origin().timings().adapters = plan().names();
    }

    @Override
    public void unchanged() {
      pass(head, contentLength);
    }

    @Override
    public void request(RequestHead ignored, long length) {
      throw new IllegalStateException("the reader lets none pass");
    }

    @Override
    public void response(ResponseHead changed, long length) {
      boolean bare =
          request.head().methodId() == Method.HEAD
              || changed.status() == 204
              || changed.status() == 304;
      if (bare && ContentLength.hasContent(length) && length != 0) {
        adaptation.cancel(); // such a response has no content, whatever the service sends
        pass(changed, ContentLength.NONE);
        end(null);
      } else {
        pass(changed, bare ? ContentLength.NONE : length);
      }
    }

    private void pass(ResponseHead passed, long length) {
      String excess = plan().has(number + 1) ? plan().excess(number + 1) : null;
      if (excess != null) {
        adaptation.cancel();
        failed(excess);
      } else if (plan().has(number + 1)) {
        next = begin(number + 1, passed, length, adaptation);
      } else {
        taker.head(passed, length);
      }
    }

    @Override
    public void transacted(IcapTransaction transaction) {
      List<IcapTransaction> past = transaction.after(origin().timings().adaptations);
      origin().timings().adaptations = past;
      IcapLines.write(loop, request, transaction, past);
    }

    @Override
    public void content(ByteBuf content) {
      if (next == null) {
        taker.content(content);
      } else {
        next.adaptation.content(content);
      }
    }

    @Override
    public void readComplete() {
      if (next == null) {
        taker.readComplete();
      } else {
        next.adaptation.readComplete();
      }
    }

    @Override
    public void end(@Nullable Fields trailers) {
      if (next != null) {
        next.adaptation.end(trailers);
      } else if (!over) {
        over = true;
        taker.end(trailers);
      }
    }

    @Override
    public void starved(String why) {
      fail(FetchFailure.Kind.NO_MEMORY, why);
    }

    @Override
    public void failed(String why) {
      fail(FetchFailure.Kind.ADAPTATION_FAILED, why);
    }

    private void fail(FetchFailure.Kind kind, String why) {
      if (!over) {
        stop();
        taker.failed(new FetchFailure(kind, why));
      }
    }
  }

  /** The stream that the fetch uses. */
  private final class Face implements OriginStream {
    private final OriginStream stream;

    Face(OriginStream stream) {
      this.stream = stream;
    }

    @Override
    public void content(ByteBuf content) {
      stream.content(content);
    }

    @Override
    public void endContent(@Nullable Fields trailers) {
      stream.endContent(trailers);
    }

    @Override
    public boolean writable() {
      return stream.writable();
    }

    @Override
    public void read() {
      if (last == null) {
        stream.read();
      } else {
        last.adaptation.read();
      }
    }

    @Override
    public void cancel() {
      stop();
      ResponseAdaptation.this.cancel();
    }

    @Override
    public ByteStream detach() {
      return stream.detach();
    }

    @Override
    public FetchTimings timings() {
      return stream.timings();
    }
  }
}
