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
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.netty.buffer.ByteBuf;

/**
 * Answers a request with slices of a large response: each is asked for by a request of its own, one
 * after the other, that is looked up, fetched and stored like any other ({@link SliceStream} is its
 * client). The first slice tells what the whole is; what follows has to be of the same. Confined to
 * the client's event loop.
 *
 * <pre>
 *   phase      entered by                      left by
 *   OPENING    start; another first slice      the head of a slice, or of something else
 *   STREAMING  head sent, slices follow        all sent, cut, gone
 *   HANDED_ON  the answer is no slice          its end, gone
 *   OVER       answer complete, cut, or client gone; or a successor answers without slices
 * </pre>
 *
 * <p>No slice is asked for before the client has taken the one before: so a slow client holds no
 * more than any other, and one that leaves has asked for nothing it did not get to.
 */
public final class SliceAnswer implements ClientEvents {
  private enum Phase {
    OPENING,
    STREAMING,
    HANDED_ON,
    OVER
  }

  /** The steps of a request that is admitted and has its key. */
  public interface Steps {
    /** Looks {@code request}, a snapshot, up; null where the answer is already complete. */
    ClientEvents lookUp(Request request);
  }

  /** More first slices than this are not tried: the content changes all the time. */
  private static final int MAX_OPENINGS = 4;

  /** So many slices are looked for before an answer from the store only is begun. */
  private static final int MAX_PROBED = 4_096;

  /** What an answer of ours repeats of that for a slice. */
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
  private SliceStream current;
  private SliceStream accounted;
  private ClientEvents successor;
  private int openings;

  /** What the client gets slices of; null: not known yet. */
  private SlicedWhole whole;

  /** Offset of the next byte for the client, and behind the last one. */
  private long position;

  private long end;

  /** Whether the next slice is asked for without a condition: the origin did not take it. */
  private boolean unconditional;

  /** Whether a slice that could not be read to its end was asked for again. */
  private boolean askedAgain;

  /** Whether a slice is being asked for, further up the stack. */
  private boolean asking;

  /** Whether the next slice is due. */
  private boolean due;

  /** For {@code request}, a snapshot; {@code steps} take the requests for slices. */
  public SliceAnswer(LoopServices services, Request request, long sliceBytes, Steps steps) {
    this.services = services;
    this.request = request;
    this.stream = request.stream();
    this.head = request.head();
    this.target = request.target();
    this.sliceBytes = sliceBytes;
    this.steps = steps;
  }

  /** Asks for the first slice. Returns itself, or null where the answer is already complete. */
  public ClientEvents start() {
    try {
      long offset = isHead() ? 0 : Slice.offset(head.fields());
      open(offset / sliceBytes);
      askIfDue();
    } catch (RuntimeException | Error e) {
      gone(); // the connection, which answers for the failure, does not know of this yet
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

  // ---- asking

  private void open(long number) {
    openings++;
    ask(new Slice(sliceBytes, number, null));
  }

  /** Asks for the slice that the next byte is in, once the client takes more. */
  private void askIfDue() {
    while (due && !asking && phase == Phase.STREAMING) {
      if (!stream.writable()) {
        stream.flush(); // it tells when it takes more
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

  /** The client's request, without conditions, for {@code slice}; of HEAD for what is stored. */
  private RequestHead head(Slice slice) {
    FieldSet conditions = Preconditions.FIELDS_AND_RANGE;
    return isHead()
        ? head.snapshotAsGet(conditions, "Range", slice.range(), "Cache-Control", "only-if-cached")
        : head.snapshotAsGet(conditions, "Range", slice.range());
  }

  // ---- what the slices' answers tell

  /** The head of the answer to the request for a slice. */
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
      services.keys.noteUnsliced(target); // its origin does not know ranges
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
      openInstead(0); // what they hold against is not known without a slice
    } else {
      handOn(reply);
    }
  }

  /** Judges conditions and ranges of the client against the whole. */
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
      fail(403, "ERR_TOO_BIG", "The answer is larger than " + limit(reply) + " bytes.");
    } else if (!last && onlyIfCached() && !isStored(wanted, from.slice())) {
      fail(504, "ERR_ONLY_IF_CACHED_MISS", "Not in the cache, and only that.");
    } else {
      send(from, reply, place, found, wanted, ranges != null);
    }
  }

  /** What reply_body_max_size allows the client to get. */
  private long limit(SliceReply reply) {
    request.reply(reply.fields(), reply.status());
    long limit = services.settings.access.replyBodyMax.of(request);
    request.forgetReply();
    return limit < 0 ? Long.MAX_VALUE : limit;
  }

  /** Whether every slice of {@code wanted} behind {@code first} may be stored. */
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
    SliceStream last = current;
    last.served();
    close();
    if (SliceRecords.isHit(last.record())) {
      HitAnswer.classifyNotModified(stream.record(), head);
    }
    stream.head(services.scratch.head(304, lines).content(ContentLength.NONE, true));
    stream.flush();
  }

  /** Answers with {@code lines} and what a slice's answer says of caches, without content. */
  private void answer(int status, SliceReply reply, FieldLines lines) {
    reply.addTo(lines, KEPT_OF_SLICE);
    services.clock.addDate(lines, services.clock.millis());
    current.served();
    close();
    stream.head(services.scratch.head(status, lines).content(0, true));
    stream.flush();
  }

  private void fail(int status, String code, String text) {
    close();
    stream.record().tag = LogTag.NONE_NONE;
    stream.record().hitClass = HitClass.OWN_ANSWER;
    ErrorPage.send(stream, services, status, code, text, null);
  }

  /** What was answered is no slice: the client gets it as it is. */
  private void handOn(SliceReply reply) {
    phase = Phase.HANDED_ON;
    if (reply.last()) {
      close();
    }
    reply.sendTo(stream, services);
  }

  /** The head of a slice that is not the first. */
  private void joined(SliceStream from, SliceReply reply) {
    ContentRange place = reply.status() == 206 ? reply.place(from.slice()) : null;
    if (place != null) {
      long now = services.clock.millis();
      SlicedWhole other = SlicedWhole.of(reply.fields(), place.completeLength(), now);
      if (whole.isSameAs(other)) {
        from.begins(place.range());
        return;
      }
    }
    if (reply.status() == 412 && from.slice().continued() != null) {
      unconditional = true; // it may not know the condition: without it, it is seen what it has
      laterAsk();
      return;
    }
    boolean changed = reply.status() < 300 || reply.status() == 412 || reply.status() == 416;
    if (changed) {
      services.store.remove(services.keys.urlKey(target)); // all slices of it
    }
    cut("status " + reply.status() + " for a slice" + (changed ? ": the content has changed" : ""));
  }

  // ---- content

  /** Content of a slice. Takes {@code content}, which begins at {@code offset}. */
  void content(SliceStream from, long offset, ByteBuf content) {
    if (phase == Phase.HANDED_ON) {
      stream.content(content);
      return;
    }
    if (phase != Phase.STREAMING || from.overflows()) {
      content.release();
      if (phase == Phase.STREAMING) {
        cut("more than a slice came for one");
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

  /** A slice, or what was answered in its place, is complete; {@code trailers} borrowed or null. */
  void ended(SliceStream from, Fields trailers) {
    if (phase == Phase.HANDED_ON) {
      close();
      stream.end(trailers);
    } else if (phase == Phase.STREAMING && !from.isFilled()) {
      cut("a slice was not filled");
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
    current.served();
    close();
    stream.end(null);
    stream.flush();
  }

  /** The answer to the request for a slice was cut. */
  void aborted(SliceStream from, String why) {
    if (phase == Phase.STREAMING && SliceRecords.isHit(from.record()) && !askedAgain) {
      askedAgain = true; // damaged on disk, and not there any more
      laterAsk();
    } else {
      cut(why);
    }
  }

  // ---- not from inside an answer

  /** Asks for the slice that the next byte is in, when the one that is answering has returned. */
  private void laterAsk() {
    SliceStream left = current;
    left.close();
    later(
        () -> {
          left.leave();
          account(left);
          due = true;
          askIfDue();
        });
  }

  /** Opens with another slice than the first that was asked for. */
  private void openInstead(long number) {
    if (openings == MAX_OPENINGS) {
      answerUnsliced();
      return;
    }
    SliceStream left = current;
    left.served(); // whoever asks next finds it
    left.close();
    later(
        () -> {
          left.leave();
          SliceRecords.addTraffic(stream.record(), left.record());
          open(number);
          askIfDue();
        });
  }

  /** The request is answered as if there were no slices. */
  private void answerUnsliced() {
    SliceStream left = current;
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

  /** Passes a 1xx answer on, where no other has begun. */
  void interim(ResponseHead reply, FieldLines own) {
    if (phase == Phase.OPENING) {
      stream.interim(reply, own);
    }
  }

  /** A request for a slice failed where it should not. */
  void failed(Throwable cause) {
    stream.failed(cause);
  }

  private void cut(String why) {
    close();
    stream.record().errorDetail = why;
    stream.abort(why);
  }

  /** Nothing more is wanted: the record is complete. */
  private void close() {
    phase = Phase.OVER;
    if (current != null) {
      current.leave();
      account(current);
    }
  }

  /** Once for each slice, when it is over. */
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
    content.release(); // such a request has none
  }

  @Override
  public void contentEnd(Fields trailers) {}

  @Override
  public void contentFailed(ParseFailure failure) {}
}
