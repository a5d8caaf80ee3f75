package io.loligo.server.downstream.stream;

import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.jfr.ExchangeEvent;
import io.loligo.server.jfr.FlightEvents;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import io.loligo.server.transport.ResponseTally;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of one exchange after the other, from its first byte to its end, and its place among
 * the requests of its client's address. Confined to the client's event loop.
 */
final class ExchangeRecording {
  private static final Logger LOG = LoggerFactory.getLogger(ExchangeRecording.class);

  private static final long NANOS_IN_MILLI = 1_000_000;

  /** Time in which the wall clock is not expected to be set. */
  private static final long SHORT_NANOS = 1_000_000_000;

  private final ClientConnection connection;
  private final ClientConnections clients;
  private @Nullable ExchangeRecord record;
  private long answerNanos;
  private int keptHeadBytes;

  /** Of the flight recorder; null: nothing records the exchange. */
  private @Nullable ExchangeEvent event;

  /** Whether the exchange counts among those of its address. */
  private boolean counted;

  private boolean forwarded;

  /** Nothing is recorded yet. */
  ExchangeRecording(ClientConnection connection) {
    this.connection = connection;
    this.clients = connection.clients();
  }

  /** The record of the exchange in progress; null: there is none. */
  @Nullable ExchangeRecord record() {
    return record;
  }

  /** Begins a record; parameters as in {@link ExchangeStream#begin}. */
  void begin(
      @Nullable RequestHead head, int bytes, long acceptNanos, long nowNanos, String portName) {
    event = FlightEvents.exchange();
    record = clients.records().take();
    record.startNanos = nowNanos;
    record.startLap(nowNanos);
    record.startMillis = clients.time().millis();
    record.stage(Stage.CLIENT_CONNECT, nowNanos - acceptNanos);
    record.client = connection.client();
    record.clientText = connection.clientText();
    record.local = connection.local();
    record.clientTrafficClass = connection.trafficClass();
    record.clientMark = connection.packetMark();
    record.proxyHeader = connection.proxyHeader();
    record.session = connection.session();
    record.portName = portName;
    record.request = head;
    record.method = head == null ? ExchangeRecord.NO_METHOD : head.method();
    record.clientBytesIn = bytes;
    answerNanos = 0;
    clients.counters().requestBegan();
  }

  /** The request begins or joins a fetch; again if it does so again. */
  void forwarded() {
    if (record != null && !forwarded) {
      forwarded = true;
      clients.counters().forwardingBegan();
    }
  }

  /**
   * {@code head} leaves the scratch array unless its exchange is over, or has it from there
   * already.
   */
  void snapshot(RequestHead head) {
    if (record == null || record.request == null) {
      return;
    }
    keptHeadBytes = record.request.end();
    clients.counters().headsKept(keptHeadBytes);
    if (record.request == head) {
      record.request = head.snapshot();
      if (record.target != null) {
        record.target = record.target.snapshot(record.request);
      }
    }
  }

  /**
   * Whether the client's address has more requests in progress than {@code most}; 0: any number.
   * Counts this one if that matters.
   */
  boolean isOneTooMany(int most) {
    ClientAddresses.Count count = most > 0 ? connection.count() : null;
    counted = count != null;
    return count != null && count.begin() > most;
  }

  /** The final head is about to be written. */
  void answers(int status) {
    assert record != null : "no exchange";
    record.status = status;
    answerNanos = waitedForNothing(record) ? record.lapNanos() : clients.time().nanos();
  }

  /** Whether nothing lies between the last stage and the response: see {@link StageSum}. */
  private boolean waitedForNothing(ExchangeRecord answered) {
    return answered.hitClass.hit() && !forwarded;
  }

  /**
   * Removes the record: the exchange is over. {@link #handOver} is next.
   *
   * @return the record, owned by the caller until then
   */
  ExchangeRecord end() {
    ExchangeRecord done = record;
    assert done != null : "no exchange";
    record = null;
    return done;
  }

  /** Wall clock at the end; that of a short exchange follows from its begin. */
  private long endMillis(ExchangeRecord done, long now) {
    long nanos = now - done.startNanos;
    return nanos < SHORT_NANOS
        ? done.startMillis + nanos / NANOS_IN_MILLI
        : clients.time().millis();
  }

  /**
   * Completes {@code done} and passes it on.
   *
   * @param contentBytes of the request's content, with its framing
   * @param tally bytes of the response
   * @param writer of the response
   */
  void handOver(
      ExchangeRecord done, long contentBytes, ResponseTally tally, ResponseWriter writer) {
    clients.counters().requestEnded();
    if (forwarded) {
      forwarded = false;
      clients.counters().forwardingEnded();
    }
    long now = clients.time().nanos();
    done.endMillis = endMillis(done, now);
    done.clientBytesIn += contentBytes;
    done.clientBytesOut += tally.writtenBytes();
    done.clientHeadBytesOut = Math.min(writer.headBytes(), tally.writtenBytes());
    StageSum.complete(done, writer.headSent() ? answerNanos : now, now);
    done.classify();
    if (counted) {
      counted = false;
      ClientAddresses.Count count = connection.count();
      assert count != null : "its connection is open";
      count.end();
    }
    try {
      if (!done.isOwnRequest) {
        clients.sink().finished(done);
        if (event != null) {
          event.finished(done);
        }
      }
    } catch (Throwable e) {
      LOG.error(
          "An exchange could not be recorded: logs and counters may lack it; next: report this"
              + " defect, with the trace",
          e);
    }
    event = null;
    clients.records().give(done);
    clients.counters().headsKept(-keptHeadBytes);
    keptHeadBytes = 0;
  }
}
