package io.loligo.server.exchange.adapt;

import io.loligo.core.message.ResponseHead;
import io.loligo.server.adapt.Adaptations;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.IcapTransaction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes records for {@code icap_log} and for values with log codes. Stateless. */
final class IcapLines {
  private IcapLines() {}

  /**
   * Writes a line about {@code transaction}, if there is a log.
   *
   * @param request that the service read, or whose response it read
   * @param past the transactions of this message so far, this one included
   */
  static void write(
      Adaptations loop,
      Request request,
      IcapTransaction transaction,
      @Nullable List<IcapTransaction> past) {
    ExchangeSink log = loop.log();
    if (log == null) {
      return;
    }
    ExchangeRecord record = described(loop.record(transaction), request, transaction.inside());
    record.requestAdaptations = past;
    log.finished(record);
  }

  /**
   * Writes the facts about {@code request} into {@code record}, which it returns.
   *
   * @param reply the response to it that a service reads or has sent; null: none
   */
  static ExchangeRecord described(
      ExchangeRecord record, Request request, @Nullable ResponseHead reply) {
    if (request.isOfClient()) {
      record.takeIdOf(request.record());
      record.client = request.client();
      record.local = request.local();
      record.portName = request.portName();
      String address = ServiceChoice.clientText(request);
      if (address != null) {
        record.clientText = address;
      }
    }
    record.method = request.head().method();
    record.url = null;
    record.request = request.head();
    record.target = request.target();
    record.user = request.user();
    record.notes = request.notes().isEmpty() ? null : request.notes();
    record.acl = request;
    if (reply != null) {
      record.reply = reply;
      record.status = reply.status();
    }
    return record;
  }
}
