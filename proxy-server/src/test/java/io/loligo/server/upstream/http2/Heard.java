package io.loligo.server.upstream.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.ResponseEvents;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Records the events of a lease, and reads all content unless told otherwise. */
final class Heard implements ResponseEvents {
  final List<String> events = new ArrayList<>();
  final StringBuilder content = new StringBuilder();
  final FetchTimings timings = new FetchTimings();
  final Lease lease;
  boolean reading = true;
  Runnable onHead = () -> {};

  Heard(Lease lease) {
    this.lease = lease;
  }

  Heard send(OutgoingRequest request, RequestForm form) {
    lease.send(request, form, timings, this);
    return this;
  }

  @Override
  public void readyForContent() {
    events.add("ready");
  }

  @Override
  public void interim(ResponseHead head) {
    events.add("interim " + head.status());
  }

  @Override
  public void head(ResponseHead head, long contentLength) {
    String length =
        contentLength == ContentLength.UNKNOWN
            ? "unknown"
            : contentLength == ContentLength.NONE ? "none" : Long.toString(contentLength);
    events.add("head " + head.status() + " " + length);
    onHead.run();
    readOn();
  }

  private void readOn() {
    if (reading) {
      lease.read();
    }
  }

  @Override
  public void tunnelOpen() {
    events.add("tunnel");
  }

  @Override
  public void received(ByteBuf bytes) {
    content.append(bytes.toString(ISO_8859_1));
    bytes.release();
  }

  @Override
  public void readComplete() {
    readOn();
  }

  @Override
  public void end(Fields trailers) {
    StringBuilder text = new StringBuilder("end");
    for (int i = 0; trailers != null && i < trailers.count(); i++) {
      text.append(' ').append(trailers.name(i)).append('=').append(trailers.value(i));
    }
    events.add(text.toString());
  }

  @Override
  public void drained() {
    events.add("drained");
  }

  @Override
  public void failed(FetchFailure failure, boolean answered) {
    events.add("failed " + failure.kind() + (answered ? " answered" : ""));
  }
}
