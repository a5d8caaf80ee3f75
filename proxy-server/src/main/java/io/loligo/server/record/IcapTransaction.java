package io.loligo.server.record;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request to an ICAP service that is over. Immutable, as long as nobody changes its parts.
 *
 * @param service name of the service
 * @param host of the service, as configured
 * @param uri of the request
 * @param method of the request: REQMOD, RESPMOD or OPTIONS
 * @param outcome how it ended
 * @param status of the ICAP response; 0: none
 * @param sentBytes bytes sent to the service
 * @param receivedBytes bytes received from it
 * @param contentBytes bytes of the message inside the response, its head included; -1: none
 * @param requestHead the head of the ICAP request, and perhaps more bytes
 * @param response fields of the ICAP response; null: none
 * @param inside the response inside the ICAP response; null: none
 * @param answerNanos from the beginning until the head of the response; -1: none has come
 * @param ioNanos from the first byte sent until the end; -1: nothing was sent
 * @param totalNanos from the beginning until the end
 */
@SuppressWarnings("ArrayRecordComponent") // transactions are not compared
public record IcapTransaction(
    String service,
    String host,
    String uri,
    String method,
    Outcome outcome,
    int status,
    long sentBytes,
    long receivedBytes,
    long contentBytes,
    byte[] requestHead,
    @Nullable Fields response,
    @Nullable ResponseHead inside,
    long answerNanos,
    long ioNanos,
    long totalNanos) {
  /** The most transactions of one message that are remembered: {@value}. */
  public static final int MOST = 64;

  /** Squid's words. */
  public enum Outcome {
    /** The message was replaced. */
    ICAP_MOD,
    /** The message stays as it is. */
    ICAP_ECHO,
    /** The message has a new beginning and keeps the rest of its content. */
    ICAP_PART_ECHO,
    /** The service answered the request. */
    ICAP_SAT,
    /** The service told its options. */
    ICAP_OPT,
    /** Nobody needs the answer any more. */
    ICAP_ERR_GONE,
    /** A kept connection had ended: the message is sent again. */
    ICAP_ERR_RACE,
    /** The service failed. */
    ICAP_ERR_OTHER
  }

  /** The fields of the ICAP request. */
  public Fields request() {
    Fields fields = new Fields(16);
    fields.clear(requestHead);
    int start = 0;
    while (start < requestHead.length && requestHead[start] != '\n') {
      start++;
    }
    StoredFields.index(
        requestHead, Math.min(start + 1, requestHead.length), requestHead.length, fields);
    return fields;
  }

  /** {@code earlier}, null if there are none, followed by this one. */
  public List<IcapTransaction> after(@Nullable List<IcapTransaction> earlier) {
    if (earlier == null) {
      return List.of(this);
    }
    if (earlier.size() >= MOST) {
      return earlier;
    }
    List<IcapTransaction> all = new ArrayList<>(earlier);
    all.add(this);
    return List.copyOf(all);
  }
}
