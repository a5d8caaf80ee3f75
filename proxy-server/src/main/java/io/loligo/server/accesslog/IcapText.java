package io.loligo.server.accesslog;

import io.loligo.core.message.Fields;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.IcapTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Writes the facts about ICAP as log text; nothing for a missing fact. */
final class IcapText {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private IcapText() {}

  /** A text of the transaction that the line is about. */
  static LogCode.Source text(Function<IcapTransaction, String> value) {
    return (record, line) -> {
      if (record.icap != null) {
        line.append(value.apply(record.icap));
      }
    };
  }

  /** A number of the transaction; a negative one is missing. */
  static LogCode.Source number(ToLongFunction<IcapTransaction> value) {
    return (record, line) -> {
      long number = record.icap == null ? -1 : value.applyAsLong(record.icap);
      if (number >= 0) {
        line.appendNumber(number);
      }
    };
  }

  /** A time of the transaction in milliseconds. */
  static LogCode.Source millis(ToLongFunction<IcapTransaction> nanos) {
    return number(
        one -> {
          long time = nanos.applyAsLong(one);
          return time < 0 ? -1 : time / NANOS_PER_MILLI;
        });
  }

  static LogCode.Source requestField(FieldText field) {
    return (record, line) -> field.write(record.icap == null ? null : record.icap.request(), line);
  }

  static LogCode.Source replyField(FieldText field) {
    return (record, line) -> field.write(record.icap == null ? null : record.icap.response(), line);
  }

  /** The field of the last ICAP response that has it. */
  static LogCode.Source lastField(FieldText field) {
    return (record, line) -> {
      List<IcapTransaction> all = all(record);
      int start = line.length();
      for (int i = all.size() - 1; i >= 0 && line.length() == start; i--) {
        Fields fields = all.get(i).response();
        field.write(fields, line);
      }
    };
  }

  /** The time that the exchange waited for heads of services, in milliseconds. */
  static void waited(ExchangeRecord record, LogLine line) {
    List<IcapTransaction> all = all(record);
    if (!all.isEmpty()) {
      long nanos = 0;
      for (IcapTransaction one : all) {
        nanos += one.answerNanos() < 0 ? one.totalNanos() : one.answerNanos();
      }
      line.appendNumber(nanos / NANOS_PER_MILLI);
    }
  }

  /**
   * The times of all transactions in milliseconds, in their order. One that was repeated is
   * followed by a plus sign, or is added to the next one.
   *
   * @param service only its transactions; null: those of all services
   * @param summed whether it is added
   */
  static LogCode.Source times(@Nullable String service, boolean summed) {
    return (record, line) -> {
      List<IcapTransaction> all = all(record);
      int start = line.length();
      long before = 0;
      boolean repeated = false;
      for (int i = 0; i < all.size(); i++) {
        IcapTransaction one = all.get(i);
        long millis = one.totalNanos() / NANOS_PER_MILLI;
        boolean repeats = i + 1 < all.size() && isRepeatedBy(one, all.get(i + 1));
        if (summed && repeats) {
          before += millis;
          continue;
        }
        if (service == null || service.equals(one.service())) {
          if (line.length() > start) {
            line.append(repeated ? '+' : ',');
          }
          line.appendNumber(before + millis);
        }
        before = 0;
        repeated = repeats && !summed;
      }
    };
  }

  private static boolean isRepeatedBy(IcapTransaction one, IcapTransaction next) {
    boolean failed =
        one.outcome() == IcapTransaction.Outcome.ICAP_ERR_RACE
            || one.outcome() == IcapTransaction.Outcome.ICAP_ERR_OTHER;
    return failed && one.method().equals(next.method()) && one.service().equals(next.service());
  }

  /** Those of the request, then those of the response. */
  private static List<IcapTransaction> all(ExchangeRecord record) {
    List<IcapTransaction> ofRequest = record.requestAdaptations;
    List<IcapTransaction> ofResponse = record.responseAdaptations;
    if (ofRequest == null || ofResponse == null) {
      List<IcapTransaction> one = ofRequest == null ? ofResponse : ofRequest;
      return one == null ? List.of() : one;
    }
    List<IcapTransaction> all = new ArrayList<>(ofRequest);
    all.addAll(ofResponse);
    return all;
  }
}
