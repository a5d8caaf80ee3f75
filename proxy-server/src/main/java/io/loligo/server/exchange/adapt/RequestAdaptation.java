package io.loligo.server.exchange.adapt;

import io.loligo.core.message.Authority;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.adapt.Adaptation;
import io.loligo.server.adapt.Adaptations;
import io.loligo.server.adapt.Adapted;
import io.loligo.server.adapt.IcapService;
import io.loligo.server.adapt.Original;
import io.loligo.server.adapt.ServiceGroup;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.request.Suspension;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.RewrittenRequest;
import io.loligo.server.record.Shed;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes a request through services (REQMOD), before the store is asked. The request continues as
 * they return it, and reads its content from the last one; or the client gets the response of a
 * service. Confined to the client's event loop.
 *
 * <pre>
 *   phase      entered by                     left by
 *   ASKING     start                          the last head, a response, a failure, gone
 *   CONTINUED  the request goes on            the end of the exchange
 *   SATISFIED  a service responds             the end of its response
 * </pre>
 */
public final class RequestAdaptation extends Suspension implements Original {
  /** Continues with the request. Called on the event loop. */
  public interface Continuation {
    /**
     * The services are through with the request.
     *
     * @return the next part of the exchange, or null if the response is complete
     */
    @Nullable ClientEvents adapted(Request request);

    /** The content is malformed. */
    void refused(Request request, ParseFailure failure);
  }

  private final LoopServices services;
  private final Adaptations loop;
  private final ServicePlan plan;
  private final Continuation continuation;
  private final Request asked;
  private final ClientStream client;
  private final boolean hasContent;

  /** The stages begun so far: the content goes into the first and comes out of the last. */
  private @Nullable Stage first;

  private @Nullable Stage last;
  private @Nullable AdaptedStream adapted;
  private @Nullable SatisfiedAnswer satisfied;
  private @Nullable List<IcapTransaction> past;
  private boolean over;

  /** The answer if the services cannot be asked; null: they do not work. */
  private @Nullable Refusal refusal;

  /** Prepares the adaptation of {@code request}, a snapshot, by {@code group}. */
  public RequestAdaptation(
      LoopServices services,
      Adaptations loop,
      Request request,
      ServiceGroup group,
      Continuation continuation) {
    super(request);
    this.services = services;
    this.loop = loop;
    this.plan = new ServicePlan(loop.settings(), group);
    this.continuation = continuation;
    this.asked = request;
    this.client = request.stream();
    this.hasContent = ContentLength.hasContent(request.contentLength());
  }

  /** Begins. Returns itself. */
  public ClientEvents start() {
    request().setAdapted();
    request().adaptedBy(plan.names());
    first = begin(0, this);
    return this;
  }

  private Stage begin(int number, Original before) {
    Stage stage = new Stage(number, before);
    last = stage;
    stage.adaptation.start();
    return stage;
  }

  // ---- the client's content

  @Override
  public void read() {
    client.sendContinue();
    client.readContent();
  }

  /** The rest of the client's content is not read. */
  @Override
  public void cancel() {
    if (client.contentMissing() && (adapted == null || !adapted.isHeadSent())) {
      client.closeAfter();
    }
  }

  @Override
  public void content(ByteBuf content) {
    if (first == null || over) {
      content.release();
    } else {
      first.adaptation.content(content);
      first.adaptation.readComplete();
    }
  }

  @Override
  public void contentEnd(@Nullable Fields trailers) {
    if (first != null && !over) {
      first.adaptation.end(trailers);
    }
  }

  @Override
  public void contentFailed(ParseFailure failure) {
    stop();
    if (resumed()) {
      super.contentFailed(failure);
    } else {
      resume(
          () -> {
            continuation.refused(request(), failure);
            return null;
          });
    }
  }

  @Override
  public void gone() {
    super.gone();
    stop();
  }

  private void stop() {
    if (!over) {
      over = true;
      if (last != null) {
        last.adaptation.cancel();
      }
    }
  }

  // ---- stages

  /** The passage through one service. */
  private final class Stage implements Adapted {
    private final int number;
    private final Adaptation adaptation;
    private @Nullable Stage next;

    Stage(int number, Original before) {
      this.number = number;
      this.adaptation =
          new Adaptation(
              loop,
              asked.loop(),
              asked.allocator(),
              plan.stage(number),
              ServiceChoice.message(loop, services.settings, asked),
              before,
              this);
    }

    @Override
    public void answered(IcapService service, Fields fields) {
      plan.answered(number, service, fields, asked);
      asked.adaptedBy(plan.names());
    }

    @Override
    public void unchanged() {
      goOn();
    }

    @Override
    public void request(RequestHead head, long contentLength) {
      String why = replace(head, contentLength);
      if (why == null) {
        goOn();
      } else {
        adaptation.cancel();
        failed("icap_service: " + why);
      }
    }

    private void goOn() {
      String excess = plan.has(number + 1) ? plan.excess(number + 1) : null;
      if (excess != null) {
        adaptation.cancel();
        failed(excess);
      } else if (plan.has(number + 1)) {
        next = begin(number + 1, adaptation);
      } else {
        proceed(adaptation);
      }
    }

    @Override
    public void response(ResponseHead head, long contentLength) {
      resume(
          () -> {
            SatisfiedAnswer answer = new SatisfiedAnswer(services, asked, adaptation);
            satisfied = answer;
            return answer.start(head, contentLength);
          });
    }

    @Override
    public void transacted(IcapTransaction transaction) {
      noted(transaction);
    }

    @Override
    public void content(ByteBuf content) {
      if (next != null) {
        next.adaptation.content(content);
      } else if (satisfied != null) {
        satisfied.arrived(content);
      } else {
        RequestAdaptation.super.content(content);
      }
    }

    @Override
    public void readComplete() {
      if (next != null) {
        next.adaptation.readComplete();
      } else if (satisfied != null) {
        satisfied.readComplete();
      }
    }

    @Override
    public void end(@Nullable Fields trailers) {
      if (next != null) {
        next.adaptation.end(trailers);
      } else if (satisfied != null) {
        satisfied.ended(trailers);
      } else if (adapted != null) {
        RequestAdaptation.super.contentEnd(trailers);
      }
    }

    @Override
    public void starved(String why) {
      refusal = Refusal.overload(Shed.MEMORY);
      serviceFailed(why);
    }

    @Override
    public void failed(String why) {
      serviceFailed(why);
    }
  }

  private void noted(IcapTransaction transaction) {
    past = transaction.after(past);
    // the record may be over once the response has begun, or the client has gone
    if (!over && (adapted == null || !adapted.isHeadSent())) {
      asked.record().requestAdaptations = past;
    }
    IcapLines.write(loop, asked, transaction, past);
  }

  /** Continues as {@code head}. Returns the reason why that is not possible, or null. */
  private @Nullable String replace(RequestHead head, long contentLength) {
    Request request = request();
    RequestTarget target = new RequestTarget();
    ParseFailure failure = target.resolve(head, request.scheme(), null, /* hostChooses= */ true);
    if (failure != null) {
      return "request: " + failure.text();
    }
    boolean connect = head.methodId() == Method.CONNECT;
    if (connect != (request.head().methodId() == Method.CONNECT)) {
      return "request: the method changed from or to CONNECT";
    }
    if (!connect && Authority.defaultPort(target.scheme()) <= 0) {
      return "request: scheme " + target.scheme();
    }
    boolean elsewhere = !target.host().equals(request.host()) || target.port() != request.port();
    request.rewrite(new RewrittenRequest(head, target, null, elsewhere));
    request.contentLength(contentLength);
    return null;
  }

  private void proceed(Adaptation source) {
    if (over()) {
      return;
    }
    if (ContentLength.hasContent(request().contentLength())) {
      AdaptedStream stream = new AdaptedStream(client, source);
      adapted = stream;
      request().answerTo(stream);
    }
    resume(() -> continuation.adapted(request()));
  }

  private void serviceFailed(String why) {
    if (over) {
      return;
    }
    boolean continued = adapted != null;
    stop();
    if (satisfied != null) {
      satisfied.failed(why);
    } else if (!resumed()) {
      resume(() -> refuse(why));
    } else if (continued && adapted != null) {
      super.gone(); // the parts behind have a request whose content is not complete
      if (adapted.isHeadSent()) {
        client.abort(why);
      } else {
        refuse(why);
      }
    }
  }

  private @Nullable ClientEvents refuse(String why) {
    String text = "The service that inspects requests does not work.";
    long contentLength = hasContent ? ContentLength.UNKNOWN : ContentLength.NONE;
    Refusal failure = new Refusal(500, "ERR_ICAP_FAILURE", text, null, null, why, null, false);
    ErrorPage.refuse(client, services, contentLength, refusal == null ? failure : refusal);
    return null;
  }
}
