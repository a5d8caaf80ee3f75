package io.loligo.server.exchange.slice;

import io.loligo.core.caching.CacheControl;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.ByteRange;
import io.loligo.core.range.ContentRange;
import io.loligo.core.range.RangeSelection;
import io.loligo.core.range.Slice;
import io.loligo.core.range.SlicedWhole;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.hit.HitAnswer;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.LogTag;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Answers a request with slices of a large response. Each slice has its own request, which is
 * looked up, fetched and stored like any other; a {@link SliceStream} is its client. The requests
 * run one after the other. The first slice identifies the representation, and all further slices
 * must belong to it. Confined to the client's event loop.
 *
 * <pre>
 *   phase      entered by                       left by
 *   OPENING    start; another first slice       the head of a slice or of another response
 *   STREAMING  head sent, slices follow         all sent, cut, gone
 *   HANDED_ON  the response is not a slice      its end, gone
 *   OVER       response complete or cut, or client gone; or a successor answers without slices
 * </pre>
 *
 * <p>The next slice is requested only after the client has taken the previous one. A slow client
 * therefore holds no more memory than any other, and a client that leaves has caused no fetch of a
 * slice that it did not reach.
 */
public final class SliceAnswer implements ClientEvents {
  private enum Phase {
    OPENING,
    STREAMING,
    HANDED_ON,
    OVER
  }

  /** The steps of a request that was admitted and has its key. */
  public interface Steps {
    /**
     * Looks up {@code request}, a snapshot. Returns the receiver of the client's events; null if
     * the response is already complete.
     */
    @Nullable ClientEvents lookUp(Request request);
  }

  /** The most attempts at a first slice. If they fail, the content changes all the time. */
  private static final int MAX_OPENINGS = 4;

  /**
   * The most slices whose presence is checked before a response to {@code only-if-cached} begins.
   */
  private static final int MAX_PROBED = 4_096;

  /** Fields of the slice's response that the proxy's own response repeats. */
  private static final FieldSet KEPT_OF_SLICE =
      FieldSet.of(FieldName.VIA, FieldName.CACHE_STATUS, FieldName.AGE);

  private static final FieldSet AGE = FieldSet.of(FieldName.AGE);

  private final LoopServices services;
  private final Request request;
  private final ClientStream stream;
  private final RequestHead head;
  private final RequestTarget target;
  private final long sliceBytes;
  private final Steps steps;

  private Phase phase = Phase.OPENING;
  private @Nullable SliceStream current;
  private @Nullable SliceStream accounted;
  private @Nullable ClientEvents successor;
  private int openings;

  /** The representation that the client receives; null: not known yet. */
  private @Nullable SlicedWhole whole;

  /** The offset of the next byte for the client. */
  private long position;

  /** The offset after the last byte for the client. */
  private long end;

  /** Whether the next slice is requested without a condition, because the origin rejected it. */
  private boolean unconditional;

  /** Whether a slice that could not be read to its end was requested again. */
  private boolean askedAgain;

  /** Whether a slice is being requested further up the stack. */
  private boolean asking;

  /** Whether the next slice is due. */
  private boolean due;

  /**
   * Prepares slices for {@code request}, a snapshot.
   *
   * @param sliceBytes the size of each slice in bytes, except the last
   * @param steps receives the requests for slices
   */
  public SliceAnswer(LoopServices services, Request request, long sliceBytes, Steps steps) {
    this.services = services;
    this.request = request;
    this.stream = request.stream();
    this.head = request.head();
    this.target = request.target();
    this.sliceBytes = sliceBytes;
    this.steps = steps;
  }

  /** Requests the first slice. Returns itself, or null if the response is already complete. */
  public @Nullable ClientEvents start() {
    try {
      long offset = isHead() ? 0 : Slice.offset(head.fields());
      open(offset / sliceBytes);
      askIfDue();
    } catch (RuntimeException | Error e) {
      gone(); // the connection handles the failure but does not know this object yet
      throw e;
    }
    return phase == Phase.OVER && successor == null ? null : this;
  }

  private boolean isHead() {
    return head.methodId() == Method.HEAD;
  }

  private boolean onlyIfCached() {
    return CacheControl.ofRequest(head.fields()).has(CacheControl.ONLY_IF_CACHED);
  }

  // ---- requests for slices

  private void open(long number) {
    openings++;
    ask(new Slice(sliceBytes, number, null));
  }

  /** Requests the slice with the next byte, once the client accepts more. */
  private void askIfDue() {
    while (due && !asking && phase == Phase.STREAMING) {
      if (!stream.writable()) {
        stream.flush(); // an event follows when it accepts more
        return;
      }
      due = false;
      ask(new Slice(sliceBytes, position / sliceBytes, unconditional ? null : whole));
    }
  }

  private void ask(Slice slice) {
    RequestHead sliceHead = head(slice);
    RequestTarget keyed = target.snapshot(sliceHead);
    services.keys.keyBySlice(keyed, slice);
    SliceStream asked = new SliceStream(this, stream, slice);
    current = asked;
    asking = true;
    try {
      long now = services.clock.millis();
      asked.answeredBy(steps.lookUp(request.ofSlice(asked, sliceHead, keyed, now)));
    } finally {
      asking = false;
    }
  }

  /**
   * The client's request for {@code slice}, without conditions. For HEAD: for a stored slice only.
   */
  private RequestHead head(Slice slice) {
    FieldSet conditions = Preconditions.FIELDS_AND_RANGE;
    return isHead()
        ? head.snapshotAsGet(conditions, "Range", slice.range(), "Cache-Control", "only-if-cached")
        : head.snapshotAsGet(conditions, "Range", slice.range());
  }

  /** The slice that was requested last. */
  private SliceStream current() {
    assert current != null : "no slice was requested";
    return current;
  }

  // ---- responses for slices

  /** The head of the response for a slice has arrived. */
  void arrived(SliceStream from, SliceReply reply) {
    switch (phase) {
      case OPENING -> opened(from, reply);
      case STREAMING -> joined(from, reply);
      case HANDED_ON, OVER -> {}
    }
  }

  private void opened(SliceStream from, SliceReply reply) {
    ContentRange place = reply.place(from.slice());
    Fields fields = head.fields();
    if (reply.status() == 200) {
      services.keys.noteUnsliced(target); // its origin does not support ranges
    }
    if (place != null) {
      judge(from, reply, place);
    } else if (isHead()) {
      answerUnsliced();
    } else if (reply.status() == 206 || (reply.status() == 416 && from.slice().number() == 0)) {
      services.keys.noteUnsliced(target);
      answerUnsliced();
    } else if (reply.status() == 416
        && (fields.hasAny(Preconditions.FIELDS) || fields.has(FieldName.IF_RANGE))) {
      openInstead(0); // only a slice tells the validators for the client's conditions
    } else {
      handOn(reply);
    }
  }

  /** Evaluates the client's conditions and ranges against the whole representation. */
  private void judge(SliceStream from, SliceReply reply, ContentRange place) {
    long now = services.clock.millis();
    SlicedWhole found = SlicedWhole.of(reply.fields(), place.completeLength(), now);
    StoredMeta meta = found.meta();
    if (Preconditions.fails(head.fields(), meta)) {
      answer(412, reply, new FieldLines(256));
      return;
    }
    if (Preconditions.evaluate(head.fields(), meta) == Outcome.NOT_MODIFIED) {
      notModified(reply);
      return;
    }
    RangeSelection ranges = HitAnswer.ranges(head, meta);
    if (ranges != null && ranges.outcome() == RangeSelection.Outcome.UNSATISFIABLE) {
      FieldLines lines = ByteRange.addUnsatisfied(new FieldLines(256), found.length());
      answer(416, reply, lines);
      return;
    }
    ByteRange wanted =
        ranges == null ? new ByteRange(0, found.length() - 1) : ranges.ranges().get(0);
    boolean last = wanted.last() <= place.range().last();
    if (isHead()) {
      sendHead(reply, found.length());
    } else if (wanted.first() < place.range().first() || wanted.first() > place.range().last()) {
      openInstead(wanted.first() / sliceBytes);
    } else if (!last && !found.canBeContinued()) {
      services.keys.noteUnsliced(target);
      answerUnsliced();
    } else if (wanted.length() > limit(reply)) {
      fail(Refusal.ofResponseSize(limit(reply)));
    } else if (!last && onlyIfCached() && !isStored(wanted, from.slice())) {
      fail(Refusal.NOT_STORED);
    } else {
      send(from, reply, place, found, wanted, ranges != null);
    }
  }

  /** The {@code reply_body_max_size} for the client, in bytes. */
  private long limit(SliceReply reply) {
    request.reply(reply.fields(), reply.status());
    long limit = services.settings.access.replyBodyMax.of(request);
    request.forgetReply();
    return limit < 0 ? Long.MAX_VALUE : limit;
  }

  /** Whether every slice of {@code wanted} after {@code first} may be in the store. */
  private boolean isStored(ByteRange wanted, Slice first) {
    RequestTarget probed = target.snapshot(head);
    for (long i = first.number() + 1; i <= wanted.last() / sliceBytes; i++) {
      services.keys.keyBySlice(probed, new Slice(sliceBytes, i, null));
      if (i - first.number() > MAX_PROBED || !services.keys.mayHold(probed)) {
        return false;
      }
    }
    return true;
  }

  private void send(
      SliceStream from,
      SliceReply reply,
      ContentRange place,
      SlicedWhole found,
      ByteRange wanted,
      boolean partial) {
    whole = found;
    position = wanted.first();
    end = wanted.last() + 1;
    phase = Phase.STREAMING;
    from.begins(place.range());
    FieldLines lines = new FieldLines(1024);
    if (partial) {
      wanted.addContentRange(lines, found.length());
    }
    boolean known = partial && head.fields().has(FieldName.IF_RANGE);
    reply.addTo(lines, known);
    stream.head(services.scratch.head(partial ? 206 : 200, lines).content(wanted.length(), false));
  }

  private void sendHead(SliceReply reply, long length) {
    FieldLines lines = new FieldLines(1024);
    reply.addTo(lines, /* known= */ false);
    close();
    stream.head(services.scratch.head(200, lines).content(length, true));
    stream.flush();
  }

  private void notModified(SliceReply reply) {
    FieldLines lines = new FieldLines(512);
    HitAnswer.addRepeated(reply.fields(), lines);
    reply.addTo(lines, AGE);
    SliceStream last = current();
    last.served();
    close();
    if (SliceRecords.isHit(last.record())) {
      HitAnswer.classifyNotModified(stream.record(), head);
    }
    stream.head(services.scratch.head(304, lines).content(ContentLength.NONE, true));
    stream.flush();
  }

  /** Sends {@code lines} and the cache-related fields of the slice's response, without content. */
  private void answer(int status, SliceReply reply, FieldLines lines) {
    reply.addTo(lines, KEPT_OF_SLICE);
    services.clock.addDate(lines, services.clock.millis());
    current().served();
    close();
    stream.head(services.scratch.head(status, lines).content(0, true));
    stream.flush();
  }

  private void fail(Refusal refusal) {
    close();
    stream.record().tag = LogTag.NONE_NONE;
    ErrorPage.refuse(stream, services, ContentLength.NONE, refusal);
  }

  /** Forwards a response that is not a slice unchanged. */
  private void handOn(SliceReply reply) {
    phase = Phase.HANDED_ON;
    if (reply.last()) {
      close();
    }
    reply.sendTo(stream, services);
  }

  /** The head of a further slice has arrived. */
  private void joined(SliceStream from, SliceReply reply) {
    ContentRange place = reply.status() == 206 ? reply.place(from.slice()) : null;
    if (place != null) {
      long now = services.clock.millis();
      SlicedWhole other = SlicedWhole.of(reply.fields(), place.completeLength(), now);
      assert whole != null : "the first slice told it";
      if (whole.isSameAs(other)) {
        from.begins(place.range());
        return;
      }
    }
    if (reply.status() == 412 && from.slice().continued() != null) {
      // the origin may not support the condition; without it, the response shows what changed
      unconditional = true;
      laterAsk();
      return;
    }
    boolean changed = reply.status() < 300 || reply.status() == 412 || reply.status() == 416;
    if (changed) {
      services.store.remove(services.keys.urlKey(target)); // removes all its slices
    }
    cut("status " + reply.status() + " for a slice" + (changed ? ": the content has changed" : ""));
  }

  // ---- content

  /** Content of a slice. Takes {@code content}, which begins at {@code offset} of the whole. */
  void content(SliceStream from, long offset, ByteBuf content) {
    if (phase == Phase.HANDED_ON) {
      stream.content(content);
      return;
    }
    if (phase != Phase.STREAMING || from.overflows()) {
      content.release();
      if (phase == Phase.STREAMING) {
        cut("the response for a slice is too long");
      }
      return;
    }
    int before = (int) Math.min(position - offset, content.readableBytes());
    content.skipBytes(before);
    int inside = (int) Math.min(end - position, content.readableBytes());
    if (inside == 0) {
      content.release();
    } else {
      position += inside;
      content.writerIndex(content.readerIndex() + inside);
      stream.content(content);
    }
    if (phase == Phase.STREAMING && position == end && !from.isFilled()) {
      complete(); // the rest of the slice is not for this client
    }
  }

  /** A slice, or the response in its place, is complete; {@code trailers} borrowed, may be null. */
  void ended(SliceStream from, @Nullable Fields trailers) {
    if (phase == Phase.HANDED_ON) {
      close();
      stream.end(trailers);
    } else if (phase == Phase.STREAMING && !from.isFilled()) {
      cut("the response for a slice is too short");
    } else if (phase == Phase.STREAMING && position == end) {
      complete();
    } else if (phase == Phase.STREAMING) {
      account(from);
      askedAgain = false;
      due = true;
      askIfDue();
    }
  }

  private void complete() {
    current().served();
    close();
    stream.end(null);
    stream.flush();
  }

  /** The response for a slice was cut. */
  void aborted(SliceStream from, String why) {
    if (phase == Phase.STREAMING && SliceRecords.isHit(from.record()) && !askedAgain) {
      askedAgain = true; // damaged on disk, and removed from there since
      laterAsk();
    } else {
      cut(why);
    }
  }

  // ---- steps that must wait until the current call has returned

  /** Requests the slice with the next byte after the current call has returned. */
  private void laterAsk() {
    SliceStream left = current();
    left.close();
    later(
        () -> {
          left.leave();
          account(left);
          due = true;
          askIfDue();
        });
  }

  /** Opens with another slice than the first one requested. */
  private void openInstead(long number) {
    if (openings == MAX_OPENINGS) {
      answerUnsliced();
      return;
    }
    SliceStream left = current();
    left.served(); // it is finished and stored for the next request
    left.close();
    later(
        () -> {
          left.leave();
          SliceRecords.addTraffic(stream.record(), left.record());
          open(number);
          askIfDue();
        });
  }

  /** Answers the request as if there were no slices. */
  private void answerUnsliced() {
    SliceStream left = current();
    left.close();
    later(
        () -> {
          phase = Phase.OVER;
          left.leave();
          SliceRecords.addTraffic(stream.record(), left.record());
          successor = steps.lookUp(request.unsliced());
        });
  }

  private void later(Runnable step) {
    stream
        .loop()
        .execute(
            () -> {
              if (phase == Phase.OVER) {
                return;
              }
              try {
                step.run();
              } catch (RuntimeException | OutOfMemoryError failure) {
                stream.failed(failure);
              }
            });
  }

  // ---- the client

  /** Forwards a 1xx response, unless a final one has begun. */
  void interim(ResponseHead reply, FieldLines own) {
    if (phase == Phase.OPENING) {
      stream.interim(reply, own);
    }
  }

  /** A request for a slice failed unexpectedly. */
  void failed(Throwable cause) {
    stream.failed(cause);
  }

  private void cut(String why) {
    close();
    stream.record().errorDetail = why;
    stream.abort(why);
  }

  /** Ends this response and completes its record. */
  private void close() {
    phase = Phase.OVER;
    if (current != null) {
      current.leave();
      account(current);
    }
  }

  /** Adds a slice to the record, once per slice, after the slice is over. */
  private void account(SliceStream one) {
    if (one != accounted) {
      SliceRecords.add(stream.record(), one.record(), accounted == null);
      accounted = one;
    }
  }

  @Override
  public void writable() {
    if (successor != null) {
      successor.writable();
    } else if (due) {
      askIfDue();
    } else if (current != null) {
      current.tellWritable();
    }
  }

  @Override
  public void gone() {
    if (successor != null) {
      successor.gone();
    } else if (phase != Phase.OVER) {
      close();
    }
  }

  @Override
  public void content(ByteBuf content) {
    content.release(); // such a request has no content
  }

  @Override
  public void contentEnd(@Nullable Fields trailers) {}

  @Override
  public void contentFailed(ParseFailure failure) {}
}
