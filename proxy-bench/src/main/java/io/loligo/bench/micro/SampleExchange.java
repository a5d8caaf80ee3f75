package io.loligo.bench.micro;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The record of a hit from memory, for benchmarks that log it. Stateless. */
final class SampleExchange {
  private SampleExchange() {}

  /** A new record: {@code request}, a head in absolute-form, had {@code bytes} for its answer. */
  static ExchangeRecord hit(byte[] request, long bytes) {
    RequestHead head = new RequestHead();
    new Http1RequestParser(ParseLimits.DEFAULT).parse(request, request.length, head);
    RequestTarget target = new RequestTarget();
    if (target.resolve(head, "http", null, true) != null) {
      throw new IllegalStateException("refused");
    }
    ExchangeRecord record = new ExchangeRecord();
    record.request = head;
    record.target = target;
    record.method = head.method();
    record.endMillis = System.currentTimeMillis();
    record.startMillis = record.endMillis;
    record.client = new InetSocketAddress(InetAddress.getLoopbackAddress(), 32_810);
    record.clientText = "127.0.0.1";
    record.local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 3128);
    record.status = 200;
    record.tag = LogTag.TCP_MEM_HIT;
    record.hierarchy = HierarchyCode.HIER_NONE;
    record.clientBytesOut = bytes;
    record.contentType = "text/html";
    record.stage(Stage.TOTAL, 50_000);
    return record;
  }
}
