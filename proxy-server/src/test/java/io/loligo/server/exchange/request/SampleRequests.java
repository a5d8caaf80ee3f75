package io.loligo.server.exchange.request;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.record.ExchangeRecord;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Requests of a stream that does nothing but note failures. */
final class SampleRequests {
  final List<Throwable> failures = new ArrayList<>();
  final ExchangeRecord record = new ExchangeRecord();

  /** A request of a stream that has a record and notes failures. */
  Request request() {
    return begin(new Request());
  }

  /** Starts {@code request} over. */
  Request begin(Request request) {
    ClientStream stream =
        (ClientStream)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ClientStream.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("failed")) {
                    failures.add((Throwable) arguments[0]);
                  }
                  return switch (method.getName()) {
                    case "record" -> record;
                    case "clientConnections" -> 1;
                    default -> null;
                  };
                });
    byte[] bytes = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(US_ASCII);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    RequestTarget target = new RequestTarget();
    assertThat(target.resolve(head, "http", null, true)).isNull();
    return request.begin(stream, head, ContentLength.NONE, target, 0);
  }
}
