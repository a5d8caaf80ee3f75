package io.loligo.server.jfr;

import io.loligo.core.message.RequestTarget;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * An exchange, from the head of its request to its end: the facts of its {@link ExchangeRecord}.
 * Confined to the event loop.
 */
@Name("loligo.Exchange")
@Label("Exchange")
@Category("Loligo")
@Description("A request and its response, or a tunnel, from the head to the last byte")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
@StackTrace(false)
@Threshold("20 ms")
public final class ExchangeEvent extends Event {
  private static final ExchangeEvent PROBE = new ExchangeEvent();

  /** In JFR a time span that is not there. */
  private static final long NONE = Long.MIN_VALUE;

  @Label("Request Id")
  private @Nullable String requestId;

  @Label("Client")
  @Description("The client's address, the indirect one if its proxies are trusted")
  private @Nullable String client;

  @Label("Method")
  private @Nullable String method;

  @Label("URL")
  @Description("Without its query")
  private @Nullable String url;

  @Label("Status")
  @Description("Of the response; 0: none was sent")
  private int status;

  @Label("Class")
  @Description("The class of the exchange, as in the metrics")
  private @Nullable String hitClass;

  @Label("Result")
  @Description("Squid's result code")
  private @Nullable String result;

  @Label("Decision")
  @Description("The decision of the cache and its first cause")
  private @Nullable String decision;

  @Label("Protocol")
  private @Nullable String protocol;

  @Label("Next Hop")
  @Description("Address and port of the origin or parent")
  private @Nullable String nextHop;

  @Label("Error")
  @Description("Squid's name of the error page")
  private @Nullable String error;

  @Label("Received from Client")
  @DataAmount
  private long clientReceived;

  @Label("Sent to Client")
  @DataAmount
  private long clientSent;

  @Label("Received from Next Hop")
  @DataAmount
  private long hopReceived;

  @Label("Sent to Next Hop")
  @DataAmount
  private long hopSent;

  @Label("Head of Request")
  @Description("From the connection, or the first byte of the request: not in the duration")
  @Timespan(Timespan.NANOSECONDS)
  private long clientConnect;

  @Label("Rules")
  @Timespan(Timespan.NANOSECONDS)
  private long rules;

  @Label("Login")
  @Timespan(Timespan.NANOSECONDS)
  private long login;

  @Label("Helpers")
  @Timespan(Timespan.NANOSECONDS)
  private long helpers;

  @Label("Adaptation")
  @Timespan(Timespan.NANOSECONDS)
  private long adaptation;

  @Label("Content of Request")
  @Description("Of a QUERY")
  @Timespan(Timespan.NANOSECONDS)
  private long requestContent;

  @Label("Look-up")
  @Timespan(Timespan.NANOSECONDS)
  private long lookup;

  @Label("Disk Queue")
  @Timespan(Timespan.NANOSECONDS)
  private long diskQueue;

  @Label("Disk First Read")
  @Timespan(Timespan.NANOSECONDS)
  private long diskFirstRead;

  @Label("Further Disk Reads")
  @Description("During the reply")
  @Timespan(Timespan.NANOSECONDS)
  private long diskRest;

  @Label("Wait for Another Fetch")
  @Timespan(Timespan.NANOSECONDS)
  private long join;

  @Label("Choice of Hop and DNS")
  @Timespan(Timespan.NANOSECONDS)
  private long dns;

  @Label("Connection")
  @Timespan(Timespan.NANOSECONDS)
  private long connect;

  @Label("Failed Attempts")
  @Timespan(Timespan.NANOSECONDS)
  private long attempts;

  @Label("First Byte of Next Hop")
  @Timespan(Timespan.NANOSECONDS)
  private long serverFirstByte;

  @Label("Last Byte of Next Hop")
  @Description("From the request, as the first byte; in part during the reply")
  @Timespan(Timespan.NANOSECONDS)
  private long serverLastByte;

  @Label("Reply")
  @Timespan(Timespan.NANOSECONDS)
  private long reply;

  private ExchangeEvent() {}

  static @Nullable ExchangeEvent begun() {
    if (!PROBE.isEnabled()) {
      return null;
    }
    ExchangeEvent event = new ExchangeEvent();
    event.begin();
    return event;
  }

  /** Records the event of a finished exchange; borrows its record. */
  public void finished(ExchangeRecord record) {
    end();
    if (!shouldCommit()) {
      return;
    }
    requestId = record.requestId();
    client = record.clientText;
    method = record.method;
    url = url(record);
    status = record.status;
    hitClass = record.hitClass.name().toLowerCase(Locale.ROOT);
    result = record.tag.name();
    decision =
        record.decision == null
            ? null
            : (record.decision.outcome().name() + " " + record.decision.reason().name())
                .toLowerCase(Locale.ROOT);
    protocol = Protocol.of(record).text();
    nextHop = record.nextHop == null ? null : record.nextHop + ":" + record.nextHopPort;
    error = record.errorCode;
    clientReceived = record.clientBytesIn;
    clientSent = record.clientBytesOut;
    hopReceived = record.serverBytesIn;
    hopSent = record.serverBytesOut;
    clientConnect = nanos(record, Stage.CLIENT_CONNECT);
    rules = nanos(record, Stage.ACL);
    login = nanos(record, Stage.LOGIN);
    helpers = nanos(record, Stage.HELPER);
    adaptation = nanos(record, Stage.ADAPTATION);
    requestContent = nanos(record, Stage.REQUEST_CONTENT);
    lookup = nanos(record, Stage.LOOKUP);
    diskQueue = nanos(record, Stage.DISK_QUEUE);
    diskFirstRead = nanos(record, Stage.DISK_FIRST_READ);
    diskRest = nanos(record, Stage.DISK_REST);
    join = nanos(record, Stage.JOIN);
    dns = nanos(record, Stage.DNS);
    connect = nanos(record, Stage.PROXY_CONNECT);
    attempts = nanos(record, Stage.ATTEMPTS);
    serverFirstByte = nanos(record, Stage.SERVER_FIRST_BYTE);
    serverLastByte = nanos(record, Stage.SERVER_LAST_BYTE);
    reply = nanos(record, Stage.PROXY_REPLY);
    commit();
  }

  private static long nanos(ExchangeRecord record, Stage stage) {
    long nanos = record.stage(stage);
    return nanos < 0 ? NONE : nanos;
  }

  /** Queries may have secrets. */
  private static @Nullable String url(ExchangeRecord record) {
    RequestTarget target = record.target;
    String all = record.url != null || target == null ? record.url : target.url();
    int query = all == null ? -1 : all.indexOf('?');
    return all == null || query < 0 ? all : all.substring(0, query);
  }
}
