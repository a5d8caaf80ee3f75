package io.loligo.server.trace;

import io.loligo.core.message.Method;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of OTLP: names of members as in its protocol buffers, ids in hexadecimal, numbers of 64
 * bits as strings. Attributes have the names of OpenTelemetry's conventions for HTTP. Stateless.
 */
final class SpanJson {
  private static final int INTERNAL = 1;
  private static final int SERVER = 2;
  private static final int CLIENT = 3;
  private static final int ERROR = 2;
  private static final int FIRST_CLIENT_ERROR = 400;
  private static final int FIRST_SERVER_ERROR = 500;
  private static final Stage[] STAGES = Stage.values();

  private SpanJson() {}

  /** The spans of a finished exchange, one after the other, without the array around them. */
  static String spans(ExchangeRecord record, TraceParent parent) {
    StringBuilder spans = new StringBuilder(exchange(record, parent));
    if (record.attempts > 0 || record.serverStatus > 0) {
      spans.append(',').append(fetch(record, parent));
    }
    if (record.stage(Stage.DISK_QUEUE) >= 0 || record.stage(Stage.DISK_FIRST_READ) >= 0) {
      spans.append(',').append(disk(record, parent));
    }
    return spans.toString();
  }

  /** The span of a fetch in the background, the root of its trace. */
  static String background(ExchangeRecord record, CausedTrace trace) {
    long duration = Math.max(0, record.stage(Stage.TOTAL));
    JsonWriter json = begin(trace.own(), trace.own().spanId());
    json.name("links").beginArray().beginObject();
    json.member("traceId", trace.cause().traceId());
    json.member("spanId", TraceParent.digits(trace.cause().spanId()));
    json.member("flags", trace.cause().flags()).endObject().endArray();
    json.member("name", name(record)).member("kind", CLIENT);
    times(json, TimeUnit.MILLISECONDS.toNanos(record.endMillis) - duration, duration);
    json.name("attributes").beginArray();
    fetched(json, record);
    text(json, "loligo.request_id", record.requestId());
    json.endArray();
    return end(json, isFailedFetch(record));
  }

  /** A whole request: {@code spans} of one proxy. */
  static String request(List<String> spans, String host, String version) {
    JsonWriter begin = JsonWriter.compact().beginObject().name("resourceSpans").beginArray();
    begin.beginObject().name("resource").beginObject().name("attributes").beginArray();
    text(begin, "service.name", "loligo");
    text(begin, "service.version", version);
    text(begin, "host.name", host);
    begin.endArray().endObject().name("scopeSpans").beginArray().beginObject().name("scope");
    begin.beginObject().member("name", "io.loligo").member("version", version).endObject();
    return begin + ",\"spans\":[" + String.join(",", spans) + "]}]}]}";
  }

  private static String exchange(ExchangeRecord record, TraceParent parent) {
    long start = TimeUnit.MILLISECONDS.toNanos(record.startMillis);
    long total = Math.max(0, record.stage(Stage.TOTAL));
    JsonWriter json =
        begin(parent, Span.EXCHANGE.id(record))
            .member("parentSpanId", TraceParent.digits(parent.spanId()));
    json.member("name", name(record)).member("kind", SERVER);
    times(json, start, total);
    json.name("attributes").beginArray();
    request(json, record);
    text(json, "url.path", path(record.target));
    text(json, "client.address", record.clientText);
    text(json, "network.protocol.version", Protocol.of(record).text());
    status(json, record.status, FIRST_SERVER_ERROR, record.errorCode);
    text(json, "loligo.request_id", record.requestId());
    text(json, "loligo.class", record.hitClass.name().toLowerCase(Locale.ROOT));
    text(json, "loligo.result", record.tag.name());
    if (record.decision != null) {
      text(json, "loligo.reason", record.decision.reason().name().toLowerCase(Locale.ROOT));
    }
    json.endArray();
    return end(json, record.status >= FIRST_SERVER_ERROR);
  }

  private static String fetch(ExchangeRecord record, TraceParent parent) {
    long duration = 0;
    for (Stage stage :
        List.of(Stage.DNS, Stage.PROXY_CONNECT, Stage.ATTEMPTS, Stage.SERVER_LAST_BYTE)) {
      duration += Math.max(0, record.stage(stage));
    }
    if (record.stage(Stage.SERVER_LAST_BYTE) < 0) {
      duration += Math.max(0, record.stage(Stage.SERVER_FIRST_BYTE));
    }
    JsonWriter json = beginPart(parent, Span.FETCH, record);
    json.member("name", name(record)).member("kind", CLIENT);
    times(json, startOf(record, Stage.DNS), duration);
    json.name("attributes").beginArray();
    fetched(json, record);
    json.endArray();
    return end(json, isFailedFetch(record));
  }

  private static void fetched(JsonWriter json, ExchangeRecord record) {
    request(json, record);
    text(json, "url.full", url(record.target));
    text(json, "network.peer.address", record.nextHop);
    number(json, "network.peer.port", record.nextHopPort);
    number(json, "http.request.resend_count", Math.max(0, record.attempts - 1));
    status(json, record.serverStatus, FIRST_CLIENT_ERROR, record.errorCode);
  }

  private static boolean isFailedFetch(ExchangeRecord record) {
    return record.serverStatus == 0 || record.serverStatus >= FIRST_CLIENT_ERROR;
  }

  private static String disk(ExchangeRecord record, TraceParent parent) {
    long queued = Math.max(0, record.stage(Stage.DISK_QUEUE));
    JsonWriter json = beginPart(parent, Span.DISK, record);
    json.member("name", "disk read").member("kind", INTERNAL);
    times(
        json,
        startOf(record, Stage.DISK_QUEUE),
        queued + Math.max(0, record.stage(Stage.DISK_FIRST_READ)));
    json.name("attributes").beginArray();
    number(json, "loligo.disk.queue_nanos", queued);
    json.endArray();
    return end(json, false);
  }

  private static JsonWriter beginPart(TraceParent parent, Span part, ExchangeRecord record) {
    return begin(parent, part.id(record))
        .member("parentSpanId", TraceParent.digits(Span.EXCHANGE.id(record)));
  }

  private static JsonWriter begin(TraceParent trace, long id) {
    return JsonWriter.compact()
        .beginObject()
        .member("traceId", trace.traceId())
        .member("spanId", TraceParent.digits(id))
        .member("flags", trace.flags());
  }

  private static String end(JsonWriter json, boolean failed) {
    json.name("status").beginObject();
    if (failed) {
      json.member("code", ERROR);
    }
    return json.endObject().endObject().toString();
  }

  private static void times(JsonWriter json, long startNanos, long durationNanos) {
    json.member("startTimeUnixNano", Long.toString(startNanos));
    json.member("endTimeUnixNano", Long.toString(startNanos + durationNanos));
  }

  /** The begin of a stage of the sequence, nanoseconds since the epoch. */
  private static long startOf(ExchangeRecord record, Stage stage) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(record.startMillis);
    for (int i = 0; i < stage.ordinal(); i++) {
      nanos += STAGES[i].inSequence() ? Math.max(0, record.stage(STAGES[i])) : 0;
    }
    return nanos;
  }

  /** A client can invent any method: names of spans are few. */
  private static String name(ExchangeRecord record) {
    boolean known = record.request != null && record.request.methodId() != Method.OTHER;
    return known ? record.method : "HTTP";
  }

  private static void request(JsonWriter json, ExchangeRecord record) {
    text(json, "http.request.method", record.method);
    RequestTarget target = record.target;
    if (target != null) {
      text(json, "url.scheme", target.scheme().isEmpty() ? null : target.scheme());
      text(json, "server.address", target.host());
      number(json, "server.port", target.port());
    }
  }

  private static void status(
      JsonWriter json, int status, int firstError, @Nullable String errorCode) {
    if (status > 0) {
      number(json, "http.response.status_code", status);
    }
    if (status >= firstError || status == 0) {
      text(
          json,
          "error.type",
          errorCode != null ? errorCode : status > 0 ? "" + status : "no response");
    }
  }

  /** Queries may have secrets. */
  private static @Nullable String url(@Nullable RequestTarget target) {
    return target == null ? null : withoutQuery(target.url());
  }

  private static @Nullable String path(@Nullable RequestTarget target) {
    if (target == null || target.form() == RequestTarget.Form.AUTHORITY) {
      return null;
    }
    StringBuilder path = new StringBuilder(target.pathEnd() - target.pathStart());
    for (int i = target.pathStart(); i < target.pathEnd(); i++) {
      path.append((char) (target.pathBytes()[i] & 0xff));
    }
    return withoutQuery(path.toString());
  }

  private static String withoutQuery(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  /** Nothing if {@code value} is null. */
  private static void text(JsonWriter json, String key, @Nullable String value) {
    if (value != null) {
      json.beginObject().member("key", key).name("value").beginObject();
      json.member("stringValue", value).endObject().endObject();
    }
  }

  private static void number(JsonWriter json, String key, long value) {
    json.beginObject().member("key", key).name("value").beginObject();
    json.member("intValue", Long.toString(value)).endObject().endObject();
  }
}
