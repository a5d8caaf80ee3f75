package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
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
  private static final long QUEUE_WARNING_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final HelperProgram program;
  private final HelperChildren limits;
  private final ChildProcess.Starter starter;
  private final HelperTimer timer;
  private final LongSupplier nanos;
  private final HelperLog log;
  private final long timeoutTicks;

  // all guarded by this
  private final List<HelperChild> children = new ArrayList<>();
  private final Queue<HelperQuestion> queue = new ArrayDeque<>();

  /** Answers that are passed on once the lock is free: their takers have locks of their own. */
  private final Queue<Runnable> outbox = new ArrayDeque<>();

  /** Questions without an answer, the next to time out first. */
  private final Set<HelperQuestion> pending = new LinkedHashSet<>();

  private int lastNumber;
  private int failures;
  private long startAgainNanos;
  private boolean overloaded;
  private long overloadNanos;
  private boolean warned;
  private long warnedNanos;
  private boolean ticking;
  private long tick;
  private boolean closed;
  private long requests;
  private long replies;
  private long replyNanos;
  private long starts;
  private long exits;
  private long timeouts;
  private long failed;
  private long unexpected;

  Helper(
      HelperProgram program,
      ChildProcess.Starter starter,
      HelperTimer timer,
      LongSupplier nanos,
      HelperLog log) {
    this.program = program;
    this.starter = starter;
    this.timer = timer;
    this.nanos = nanos;
    this.log = log;
    limits = program.children();
    timeoutTicks = (program.timeoutMillis() + TICK_MILLIS - 1) / TICK_MILLIS + 1;
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
    HelperQuestion asked = new HelperQuestion(this, oneLine(question), on, then, nanos.getAsLong());
    ask(asked);
    passOn();
    return asked;
  }

  private synchronized void ask(HelperQuestion asked) {
    requests++;
    if (closed) {
      finish(asked, HelperReply.of(HelperResult.DIED));
    } else if (asked.line.length > MAX_LINE_BYTES || queue.size() >= MOST_QUEUED) {
      finish(asked, HelperReply.of(HelperResult.REFUSED));
    } else if (isOverloadedForLong(asked.askedNanos)) {
      finish(
          asked,
          HelperReply.of(limits.refusesOverload() ? HelperResult.ERR : HelperResult.REFUSED));
    } else {
      await(asked);
      place(asked);
    }
  }

  /**
   * Whether a question would wait although {@code queue-size} questions wait already, and no child
   * can be started for it.
   */
  public synchronized boolean wouldOverload() {
    return queue.size() >= limits.queue() && leastBusy() == null && !mayStart();
  }

  private boolean isOverloadedForLong(long now) {
    noteOverload(now);
    boolean refuses =
        overloaded && now - overloadNanos > TimeUnit.SECONDS.toNanos(OVERLOAD_SECONDS);
    if (refuses) {
      log.warn(
          program.name()
              + ": more than "
              + limits.queue()
              + " questions have been waiting for "
              + OVERLOAD_SECONDS
              + " s: further ones are refused; more children would help");
    }
    return refuses;
  }

  private void noteOverload(long now) {
    boolean is = queue.size() > limits.queue();
    if (is && !overloaded) {
      overloadNanos = now;
    }
    overloaded = is;
  }

  /** Places {@code question}, which is pending, with a child or in the queue. */
  private void place(HelperQuestion question) {
    question.child = null;
    if (closed) {
      finish(question, HelperReply.of(HelperResult.DIED));
      return;
    }
    HelperChild child = leastBusy();
    if (child == null && mayStart()) {
      start(Math.max(1, Math.min(limits.idle(), limits.max() - children.size())));
      child = leastBusy();
    }
    if (child != null) {
      send(child, question);
    } else if (active() == 0 && !question.done) {
      finish(question, HelperReply.of(HelperResult.DIED));
    } else if (!question.done) {
      queue.add(question);
      noteOverload(nanos.getAsLong());
      warnOfQueue();
    }
  }

  private void warnOfQueue() {
    long now = nanos.getAsLong();
    if (queue.size() > limits.queue()
        && (!warned || now - warnedNanos > QUEUE_WARNING_NANOS)
        && limits.queue() > 0) {
      warned = true;
      warnedNanos = now;
      log.warn(
          program.name()
              + ": all "
              + active()
              + " children are busy and "
              + queue.size()
              + " questions wait; more children or a faster program would help");
    }
  }

  private @Nullable HelperChild leastBusy() {
    HelperChild least = null;
    for (HelperChild child : children) {
      if (!child.closing
          && child.asked.size() < limits.slots()
          && (least == null || child.asked.size() < least.asked.size())) {
        least = child;
      }
    }
    return least;
  }

  private void send(HelperChild child, HelperQuestion question) {
    question.child = child;
    question.channel = ++child.lastChannel;
    question.sentNanos = nanos.getAsLong();
    child.asked.put(question.channel, question);
    String channel = limits.concurrency() > 0 ? question.channel + " " : "";
    byte[] before = channel.getBytes(ISO_8859_1);
    byte[] line = new byte[before.length + question.line.length + 1];
    System.arraycopy(before, 0, line, 0, before.length);
    System.arraycopy(question.line, 0, line, before.length, question.line.length);
    line[line.length - 1] = '\n';
    child.process().send(line);
  }

  private void sendQueued() {
    HelperChild child = leastBusy();
    while (child != null && !queue.isEmpty()) {
      send(child, queue.remove());
      child = leastBusy();
    }
    noteOverload(nanos.getAsLong());
  }

  synchronized void cancel(HelperQuestion question) {
    if (question.done) {
      return;
    }
    question.done = true;
    pending.remove(question);
    if (question.child == null) {
      queue.remove(question);
    }
  }

  private void finish(HelperQuestion question, HelperReply reply) {
    question.done = true;
    pending.remove(question);
    if (reply.result().isFailure() && reply.result() != HelperResult.TIMED_OUT) {
      failed++;
    }
    outbox.add(() -> question.answer(reply));
  }

  /** The bytes of one line: a control byte could begin another one, or end the text. */
  private static byte[] oneLine(byte[] question) {
    boolean plain = true;
    for (byte value : question) {
      plain &= !isControl(value);
    }
    if (plain) {
      return question;
    }
    ByteArrayOutputStream line = new ByteArrayOutputStream(question.length + 16);
    for (byte value : question) {
      if (isControl(value)) {
        line.writeBytes(String.format("%%%02X", value).getBytes(ISO_8859_1));
      } else {
        line.write(value);
      }
    }
    return line.toByteArray();
  }

  private static boolean isControl(byte value) {
    return (value >= 0 && value < 0x20) || value == 0x7f;
  }

  // ---- answers

  private synchronized void answered(HelperChild child, byte[] line) {
    int start = 0;
    HelperQuestion question;
    if (limits.concurrency() > 0) {
      start = endOfDigits(line);
      question = start > 0 ? child.asked.remove(channel(line, start)) : null;
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
    child.answers++;
    child.lastAnswerNanos = nanos.getAsLong();
    failures = 0;
    replies++;
    replyNanos += child.lastAnswerNanos - question.askedNanos;
    if (!question.done) {
      HelperReply reply = HelperReply.read(line, start, line.length);
      if (reply.result() == HelperResult.BROKEN && question.repeats < MAX_REPEATS) {
        log.warn(label(child) + " says that it is broken: " + reply.first("message"));
        question.repeats++;
        place(question);
      } else {
        finish(question, reply);
      }
    }
    sendQueued();
    finishIfUnused(child);
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

  /** The place of the blank, or the end, after the digits of a channel; 0: there is no channel. */
  private static int endOfDigits(byte[] line) {
    int at = 0;
    while (at < line.length && at < 18 && line[at] >= '0' && line[at] <= '9') {
      at++;
    }
    return at == line.length || line[at] == ' ' ? at : 0;
  }

  private static long channel(byte[] line, int end) {
    return Long.parseLong(new String(line, 0, end, ISO_8859_1));
  }

  private void unexpected(HelperChild child, byte[] line) {
    unexpected++;
    String text = new String(line, 0, Math.min(80, line.length), ISO_8859_1);
    log.warn(label(child) + " answers a question that it does not have: " + text);
    if (++child.unexpected > MAX_UNEXPECTED && !child.told) {
      kill(child, "it writes lines that answer no question");
    }
  }

  // ---- time

  /** {@code question} has its time from now on. */
  private void await(HelperQuestion question) {
    question.deadlineTick = tick + timeoutTicks;
    pending.remove(question);
    pending.add(question);
    if (!ticking) {
      ticking = true;
      timer.after(TICK_MILLIS, this::onTick);
    }
  }

  private void onTick() {
    tick();
    passOn();
  }

  private synchronized void tick() {
    tick++;
    while (!pending.isEmpty()) {
      HelperQuestion oldest = pending.iterator().next();
      if (oldest.deadlineTick > tick) {
        break;
      }
      expire(oldest);
    }
    ticking = !pending.isEmpty();
    if (ticking) {
      timer.after(TICK_MILLIS, this::onTick);
    }
  }

  private void expire(HelperQuestion question) {
    timeouts++;
    HelperChild child = question.child;
    if (child == null) {
      queue.remove(question);
    }
    boolean again = program.asksAgain() && question.repeats < MAX_REPEATS && !closed;
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
      await(question);
      place(question);
    }
  }

  /** Whether questions that nobody waits for take all its room. */
  private boolean isClogged(HelperChild child) {
    return child.asked.size() >= limits.slots()
        && child.asked.values().stream().allMatch(question -> question.done);
  }

  // ---- children

  private int active() {
    int active = 0;
    for (HelperChild child : children) {
      active += child.closing ? 0 : 1;
    }
    return active;
  }

  private boolean mayStart() {
    return !closed
        && children.size() < limits.max()
        && (failures < FREE_FAILURES || nanos.getAsLong() - startAgainNanos >= 0);
  }

  private void start(int count) {
    for (int i = 0; i < count; i++) {
      HelperChild child = new HelperChild(++lastNumber, nanos.getAsLong());
      children.add(child);
      starts++;
      child.process = starter.start(program, child.number, new Told(child));
    }
  }

  private void startAgain() {
    startMissing();
    passOn();
  }

  private synchronized void startMissing() {
    while (active() < limits.startup() && mayStart()) {
      start(1);
    }
    if (!queue.isEmpty() && active() == 0 && mayStart()) {
      start(1);
    }
    sendQueued();
  }

  private void kill(HelperChild child, String why) {
    log.warn(label(child) + " is ended: " + why);
    child.closing = true;
    child.told = true;
    child.process().kill();
    lost(child);
    sendQueued();
  }

  /** It answers nothing more: its questions go to other children, or fail. */
  private void lost(HelperChild child) {
    child.closing = true;
    List<HelperQuestion> left = new ArrayList<>(child.asked.values());
    child.asked.clear();
    for (HelperQuestion question : left) {
      if (question.done) {
        continue;
      }
      if (question.deaths > 0) {
        finish(question, HelperReply.of(HelperResult.DIED));
      } else {
        question.deaths++;
        place(question);
      }
    }
  }

  private synchronized void gone(HelperChild child, String how) {
    children.remove(child);
    child.closing = true;
    if (!child.told) {
      exits++;
      log.warn(label(child) + " has ended after " + child.answers + " answers: " + how);
      if (child.answers == 0) {
        failures++;
        backOff();
      }
    }
    lost(child);
    if (!closed && (failures < FREE_FAILURES || active() > 0)) {
      startMissing();
    }
    if (active() == 0 && !mayStart()) {
      failQueue();
    }
    notifyAll();
  }

  private void backOff() {
    if (failures < FREE_FAILURES || closed) {
      return;
    }
    int doublings = Math.min(failures - FREE_FAILURES, 6);
    long seconds = Math.min(MAX_BACK_OFF_SECONDS, 1L << doublings);
    startAgainNanos = nanos.getAsLong() + TimeUnit.SECONDS.toNanos(seconds);
    log.warn(
        program.name()
            + ": "
            + failures
            + " children in a row ended without an answer: no other is started for "
            + seconds
            + " s; check the command: "
            + program.command().get(0));
    timer.after(TimeUnit.SECONDS.toMillis(seconds) + TICK_MILLIS, this::startAgain);
  }

  private void failQueue() {
    for (HelperQuestion next = queue.poll(); next != null; next = queue.poll()) {
      finish(next, HelperReply.of(HelperResult.DIED));
    }
  }

  private String label(HelperChild child) {
    return program.name() + " #" + child.number;
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
    if (closed) {
      return;
    }
    closed = true;
    failQueue();
    for (HelperChild child : children) {
      child.closing = true;
      child.told = true;
      finishIfUnused(child);
    }
    timer.after(END_MILLIS, this::killAll);
  }

  /** Whether it takes no more questions and no child runs. */
  synchronized boolean hasEnded() {
    return closed && children.isEmpty();
  }

  void killAll() {
    killChildren();
    passOn();
  }

  private synchronized void killChildren() {
    for (HelperChild child : List.copyOf(children)) {
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
    return new HelperNumbers(
        program.name(),
        requests,
        replies,
        pending.size(),
        queue.size(),
        children.size(),
        starts,
        exits,
        timeouts,
        failed,
        unexpected,
        replyNanos);
  }
}
