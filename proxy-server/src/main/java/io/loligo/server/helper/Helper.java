package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A program that answers questions, its children and its queue. Thread-safe: any thread. Its state
 * is guarded by {@code this}; no call waits for a child, or passes an answer on, while it holds
 * that lock.
 *
 * <p>A question goes to the least busy child. If all are busy, {@code idle} more are started, up to
 * {@code max}; else it waits. Each question is answered once:
 *
 * <ul>
 *   <li>A child that ends takes no question with it: another child is asked once more.
 *   <li>A child that says BH is asked again, or another one, {@value #MAX_REPEATS} times at most.
 *   <li>A question without an answer in time gets {@link HelperResult#TIMED_OUT}. A child that has
 *       answered nothing since then is ended.
 *   <li>After {@value #FREE_FAILURES} children in a row that ended without any answer, questions
 *       fail at once until the next child may be started: after one second, then two, up to {@value
 *       #MAX_BACK_OFF_SECONDS}.
 * </ul>
 *
 * <p>Unlike Squid, the process never ends because of a helper.
 */
public final class Helper {
  /** The longest question in bytes: {@value}. */
  public static final int MAX_LINE_BYTES = 32 * 1024;

  /** The longest question of a conversation in bytes, for tokens: {@value}. */
  public static final int MAX_SESSION_LINE_BYTES = 80 * 1024;

  /** The most questions that wait for a child, whatever the configuration says: {@value}. */
  public static final int MOST_QUEUED = 10_000;

  /** The time in seconds for which more questions may wait than {@code queue-size}: {@value}. */
  public static final int OVERLOAD_SECONDS = 180;

  /** How often a question is asked again. */
  static final int MAX_REPEATS = 2;

  /** Children that may end without an answer before a pause. */
  static final int FREE_FAILURES = 3;

  /** The longest pause in seconds before a child is started. */
  static final int MAX_BACK_OFF_SECONDS = 60;

  /** Lines without a question before a child is ended. */
  static final int MAX_UNEXPECTED = 16;

  /** Milliseconds of a tick of the time-outs. */
  static final int TICK_MILLIS = 100;

  /** How long requests that have begun before a reload may ask. */
  static final int RETIRE_MILLIS = 30_000;

  /** How long a child has to end by itself. */
  static final int END_MILLIS = 5_000;

  private static final int OUTPUT_MILLIS = 500;

  private final HelperProgram program;
  private final HelperChildren limits;
  private final HelperTimer timer;
  private final LongSupplier nanos;
  private final HelperLog log;

  // all guarded by this
  private final RunningChildren children;
  private final HelperQueue queue;
  private final HelperDeadlines pending;

  /** Answers that are passed on once the lock is free: their takers have locks of their own. */
  private final Queue<Runnable> outbox = new ArrayDeque<>();

  private final Map<HelperCount, Long> counts = new EnumMap<>(HelperCount.class);

  Helper(
      HelperProgram program,
      ChildProcess.Starter starter,
      HelperTimer timer,
      LongSupplier nanos,
      HelperLog log) {
    this.program = program;
    this.timer = timer;
    this.nanos = nanos;
    this.log = log;
    limits = program.children();
    children = new RunningChildren(program, starter, nanos, log);
    queue = new HelperQueue(program, log);
    pending = new HelperDeadlines(timer, program.timeoutMillis(), this::onTick);
  }

  /** The line of the configuration. */
  public HelperProgram program() {
    return program;
  }

  /** Starts the children that run from the start on. */
  void begin() {
    startAgain();
  }

  private void passOn() {
    for (Runnable answer = nextAnswer(); answer != null; answer = nextAnswer()) {
      answer.run();
    }
  }

  private synchronized @Nullable Runnable nextAnswer() {
    return outbox.poll();
  }

  // ---- questions

  /**
   * Asks. Never blocks.
   *
   * @param question without line end; its control bytes are sent as {@code %XX}
   * @param on runs {@code then}, once, unless the question is cancelled
   */
  public HelperQuestion ask(byte[] question, Executor on, Consumer<HelperReply> then) {
    HelperQuestion asked =
        new HelperQuestion(this, HelperLines.oneLine(question), on, then, nanos.getAsLong());
    ask(asked);
    passOn();
    return asked;
  }

  /**
   * A new conversation. It holds no child yet.
   *
   * @param client the client that its child counts for, equal for all its conversations; null: none
   */
  public HelperSession session(@Nullable Object client) {
    return new HelperSession(this, client);
  }

  void ask(HelperSession session, byte[] question, Executor on, Consumer<HelperReply> then) {
    HelperQuestion asked =
        new HelperQuestion(this, HelperLines.oneLine(question), on, then, nanos.getAsLong());
    asked.session = session;
    ask(asked);
    passOn();
  }

  private synchronized void ask(HelperQuestion asked) {
    HelperSession session = asked.session;
    HelperChild reserved = session == null ? null : session.child;
    int most = session == null ? MAX_LINE_BYTES : MAX_SESSION_LINE_BYTES;
    count(HelperCount.REQUESTS, 1);
    if (children.isClosed() || (session != null && session.isOver())) {
      finish(asked, HelperReply.of(HelperResult.DIED));
    } else if (asked.line.length > most || queue.size() >= MOST_QUEUED) {
      finish(asked, HelperReply.of(HelperResult.REFUSED));
    } else if (reserved != null) {
      await(asked);
      send(reserved, asked);
    } else if (queue.refuses(asked.askedNanos)) {
      finish(
          asked,
          HelperReply.of(limits.refusesOverload() ? HelperResult.ERR : HelperResult.REFUSED));
    } else {
      await(asked);
      place(asked);
    }
  }

  private void await(HelperQuestion asked) {
    pending.await(asked);
    HelperSession session = asked.session;
    if (session != null) {
      session.asked = asked;
    }
  }

  /** The child of {@code session} is free, once it has answered. */
  void end(HelperSession session) {
    release(session);
    passOn();
  }

  private synchronized void release(HelperSession session) {
    session.ended = true;
    HelperQuestion asked = session.asked;
    HelperChild child = session.child;
    if (asked != null && asked.child == null) {
      queue.remove(asked);
      finish(asked, HelperReply.of(HelperResult.REFUSED));
    } else if (child != null && child.asked.isEmpty()) {
      child.endReservation();
      sendQueued();
    }
  }

  /**
   * Whether a question would wait although {@code queue-size} questions wait already, and no child
   * can be started for it.
   */
  public synchronized boolean wouldOverload() {
    return queue.isFull() && children.leastBusy() == null && !children.mayStart();
  }

  /** Places {@code question}, which is pending, with a child or in the queue. */
  private void place(HelperQuestion question) {
    question.child = null;
    if (children.isClosed()) {
      finish(question, HelperReply.of(HelperResult.DIED));
      return;
    }
    Object client = question.client();
    HelperChild child = children.free(client);
    if (child == null && children.mayStart() && !children.holdsItsShare(client)) {
      children.startIdle(Told::new);
      child = children.free(client);
    }
    if (child != null) {
      send(child, question);
    } else if (children.active() == 0 && !question.done) {
      finish(question, HelperReply.of(HelperResult.DIED));
    } else if (!question.done) {
      queue.add(question, children.active(), nanos.getAsLong());
    }
  }

  private void send(HelperChild child, HelperQuestion question) {
    question.child = child;
    question.channel = ++child.lastChannel;
    question.sentNanos = nanos.getAsLong();
    child.asked.put(question.channel, question);
    HelperSession session = question.session;
    if (session != null) {
      session.child = child;
      child.session = session;
    }
    long channel = limits.concurrency() > 0 ? question.channel : -1;
    child.process().send(HelperLines.sent(channel, question.line));
  }

  private void sendQueued() {
    Object passed = null;
    for (Iterator<HelperQuestion> each = queue.iterator(); each.hasNext(); ) {
      HelperQuestion question = each.next();
      Object client = question.client();
      if (client != null && client.equals(passed)) {
        continue;
      }
      HelperChild child = children.free(client);
      if (child != null) {
        each.remove();
        send(child, question);
      } else if (children.holdsItsShare(client)) {
        passed = client;
      } else {
        break;
      }
    }
    queue.noteOverload(nanos.getAsLong());
  }

  /** Whether {@code question} had no answer yet: it gets none. */
  synchronized boolean cancel(HelperQuestion question) {
    if (question.done) {
      return false;
    }
    question.done = true;
    pending.remove(question);
    if (question.child == null) {
      queue.remove(question);
    }
    return true;
  }

  private void finish(HelperQuestion question, HelperReply reply) {
    question.done = true;
    pending.remove(question);
    HelperSession session = question.session;
    if (session != null) {
      session.asked = null;
    }
    if (reply.result().isFailure() && reply.result() != HelperResult.TIMED_OUT) {
      count(HelperCount.FAILURES, 1);
    }
    outbox.add(() -> question.answer(reply));
  }

  // ---- answers

  private synchronized void answered(HelperChild child, byte[] line) {
    int start = 0;
    HelperQuestion question;
    if (limits.concurrency() > 0) {
      start = HelperLines.endOfChannel(line);
      question = start > 0 ? child.asked.remove(HelperLines.channel(line, start)) : null;
      while (start < line.length && line[start] == ' ') {
        start++;
      }
    } else {
      question = removeFirst(child);
    }
    if (question == null) {
      unexpected(child, line);
      return;
    }
    children.answered(child);
    count(HelperCount.REPLIES, 1);
    count(HelperCount.REPLY_NANOS, child.lastAnswerNanos - question.askedNanos);
    if (question.done) {
      child.endReservation();
    } else {
      take(child, question, HelperReply.read(line, start, line.length));
    }
    sendQueued();
    finishIfUnused(child);
  }

  private void take(HelperChild child, HelperQuestion question, HelperReply reply) {
    HelperSession session = question.session;
    boolean broken = reply.result() == HelperResult.BROKEN;
    count(HelperCount.of(reply.result()), 1);
    if (broken) {
      log.warn(
          children.label(child)
              + " says that it is broken: "
              + reply.first("message")
              + "; next: look at it");
    }
    if (session != null) {
      session.answeredNanos = child.lastAnswerNanos;
      session.bound = reply.result() == HelperResult.CHALLENGE && !session.ended;
      if (!session.bound) {
        child.endReservation();
      }
    }
    if (broken && session == null && question.repeats < MAX_REPEATS) {
      question.repeats++;
      place(question);
    } else {
      finish(question, reply);
    }
  }

  private void finishIfUnused(HelperChild child) {
    if (child.closing && child.asked.isEmpty()) {
      child.process().finish();
    }
  }

  private static @Nullable HelperQuestion removeFirst(HelperChild child) {
    Iterator<HelperQuestion> first = child.asked.values().iterator();
    if (!first.hasNext()) {
      return null;
    }
    HelperQuestion question = first.next();
    first.remove();
    return question;
  }

  private void unexpected(HelperChild child, byte[] line) {
    count(HelperCount.UNEXPECTED, 1);
    String text = new String(line, 0, Math.min(80, line.length), ISO_8859_1);
    log.warn(
        children.label(child)
            + " answers a question that it does not have: "
            + text
            + "; next: look at it");
    if (++child.unexpected > MAX_UNEXPECTED && !child.told) {
      kill(child, "it writes lines that answer no question");
    }
  }

  // ---- time

  private void onTick() {
    tick();
    passOn();
  }

  private synchronized void tick() {
    pending.tick();
    for (HelperQuestion next = pending.expired(); next != null; next = pending.expired()) {
      expire(next);
    }
    sendQueued();
    pending.go();
  }

  private void expire(HelperQuestion question) {
    count(HelperCount.TIMEOUTS, 1);
    HelperChild child = question.child;
    if (child == null) {
      queue.remove(question);
    }
    boolean again = program.asksAgain() && question.repeats < MAX_REPEATS && !children.isClosed();
    if (again && child != null) {
      // a late answer must find that nobody waits
      HelperQuestion late = new HelperQuestion(this, question.line, on -> {}, reply -> {}, 0);
      late.done = true;
      child.asked.replace(question.channel, late);
      question.child = null;
    }
    if (!again) {
      finish(question, HelperReply.of(HelperResult.TIMED_OUT));
    }
    if (child != null
        && !child.told
        && (child.lastAnswerNanos - question.sentNanos <= 0 || isClogged(child))) {
      kill(child, "no answer in " + program.timeoutMillis() + " ms");
    }
    if (again) {
      question.repeats++;
      pending.await(question);
      place(question);
    }
  }

  /** Whether questions that nobody waits for take all its room. */
  private boolean isClogged(HelperChild child) {
    return child.asked.size() >= limits.slots()
        && child.asked.values().stream().allMatch(question -> question.done);
  }

  // ---- children

  private void startAgain() {
    startMissing();
    passOn();
  }

  private synchronized void startMissing() {
    children.startMissing(queue.size(), Told::new);
    sendQueued();
  }

  private void kill(HelperChild child, String why) {
    log.warn(children.label(child) + " is ended: " + why + "; next: look at its messages");
    child.closing = true;
    child.told = true;
    child.process().kill();
    lost(child);
    sendQueued();
  }

  /** It answers nothing more: its questions go to other children, or fail. */
  private void lost(HelperChild child) {
    child.closing = true;
    child.endReservation();
    List<HelperQuestion> left = new ArrayList<>(child.asked.values());
    child.asked.clear();
    for (HelperQuestion question : left) {
      if (question.done) {
        continue;
      }
      HelperSession session = question.session;
      if (question.deaths > 0 || (session != null && session.isOver())) {
        finish(question, HelperReply.of(HelperResult.DIED));
      } else {
        question.deaths++;
        place(question);
      }
    }
  }

  private synchronized void gone(HelperChild child, String how) {
    long pauseMillis = children.gone(child, how);
    if (pauseMillis > 0) {
      timer.after(pauseMillis, this::startAgain);
    }
    lost(child);
    if (children.replacesLost()) {
      startMissing();
    }
    if (children.active() == 0 && !children.mayStart()) {
      failQueue();
    }
    notifyAll();
  }

  private void failQueue() {
    while (!queue.isEmpty()) {
      finish(queue.take(), HelperReply.of(HelperResult.DIED));
    }
  }

  /** What the threads of one child tell. */
  private final class Told implements ChildProcess.Events {
    private final HelperChild child;

    Told(HelperChild child) {
      this.child = child;
    }

    @Override
    public void line(byte[] line) {
      answered(child, line);
      passOn();
    }

    @Override
    public void garbage(String why) {
      synchronized (Helper.this) {
        if (!child.told) {
          kill(child, why);
        }
      }
      passOn();
    }

    @Override
    public void exited() {
      synchronized (Helper.this) {
        child.closing = true; // its last answers may still be on their way
      }
      timer.after(OUTPUT_MILLIS, this::outputIsHeld);
    }

    /** Another process may hold the output of an ended child open for ever. */
    private void outputIsHeld() {
      synchronized (Helper.this) {
        if (!child.asked.isEmpty()) {
          lost(child);
        }
      }
      passOn();
    }

    @Override
    public void gone(String how) {
      Helper.this.gone(child, how);
      passOn();
    }
  }

  // ---- end

  /** Another configuration is in force: requests that have begun may ask for some time. */
  void retire() {
    timer.after(RETIRE_MILLIS, this::close);
  }

  /** Takes no more questions. Children end after they have answered those that they have. */
  void close() {
    end();
    passOn();
  }

  private synchronized void end() {
    if (children.isClosed()) {
      return;
    }
    children.close();
    failQueue();
    for (HelperChild child : children.all()) {
      child.closing = true;
      child.told = true;
      finishIfUnused(child);
    }
    timer.after(END_MILLIS, this::killAll);
  }

  /** Whether it takes no more questions and no child runs. */
  synchronized boolean hasEnded() {
    return children.isClosed() && children.isEmpty();
  }

  void killAll() {
    killChildren();
    passOn();
  }

  private synchronized void killChildren() {
    for (HelperChild child : children.all()) {
      child.told = true;
      child.process().kill();
      lost(child);
    }
  }

  /** Waits until no child is left, at most for {@code millis}; whether that is so. */
  synchronized boolean awaitEnd(long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = millis;
    while (!children.isEmpty() && left > 0) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
    return children.isEmpty();
  }

  /** Its counts now. */
  synchronized HelperNumbers numbers() {
    Map<HelperCount, Long> now = new EnumMap<>(HelperCount.class);
    for (HelperCount each : HelperCount.values()) {
      now.put(each, counts.getOrDefault(each, 0L));
    }
    now.put(HelperCount.STARTS, children.starts());
    now.put(HelperCount.EXITS, children.exits());
    now.put(HelperCount.PENDING, (long) pending.size());
    now.put(HelperCount.QUEUED, (long) queue.size());
    now.put(HelperCount.CHILDREN, (long) children.size());
    now.put(HelperCount.BUSY, children.count(child -> !child.asked.isEmpty()));
    now.put(
        HelperCount.RESERVED,
        children.count(child -> child.session != null && child.asked.isEmpty()));
    return new HelperNumbers(program.name(), now);
  }

  private void count(HelperCount each, long more) {
    counts.merge(each, more, Long::sum);
  }
}
