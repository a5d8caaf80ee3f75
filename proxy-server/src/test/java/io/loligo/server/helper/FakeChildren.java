package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Children and time that a test plays. Confined to one thread. */
final class FakeChildren {
  /** A child that was started. */
  static final class Child implements ChildProcess {
    final Events events;
    final List<String> questions = new ArrayList<>();
    boolean finished;
    boolean killed;

    Child(Events events) {
      this.events = events;
    }

    @Override
    public void send(byte[] line) {
      questions.add(new String(line, ISO_8859_1));
    }

    @Override
    public void finish() {
      finished = true;
    }

    @Override
    public void kill() {
      killed = true;
    }

    void answers(String line) {
      events.line(line.getBytes(ISO_8859_1));
    }

    void dies() {
      events.exited();
      events.gone("exit status 1");
    }

    /** The channel of its {@code index}th question. */
    String channel(int index) {
      return questions.get(index).substring(0, questions.get(index).indexOf(' '));
    }
  }

  final List<Child> started = new ArrayList<>();
  private final TreeMap<Long, List<Runnable>> tasks = new TreeMap<>();
  private long nowMillis;

  Helper helper(HelperChildren children, long timeoutMillis, boolean asksAgain) {
    HelperProgram program =
        new HelperProgram("test", List.of("/bin/test"), children, timeoutMillis, asksAgain);
    return new Helper(
        program, this::start, this::after, this::nanos, new HelperLog("test", this::nanos));
  }

  Helpers helpers() {
    return new Helpers(this::after, this::nanos, log -> this::start);
  }

  private ChildProcess start(HelperProgram program, int number, ChildProcess.Events events) {
    Child child = new Child(events);
    started.add(child);
    return child;
  }

  private void after(long millis, Runnable task) {
    tasks.computeIfAbsent(nowMillis + millis, none -> new ArrayList<>()).add(task);
  }

  private long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(nowMillis);
  }

  /** Lets time pass, with the tasks that are due. */
  void pass(long millis) {
    long end = nowMillis + millis;
    while (!tasks.isEmpty() && tasks.firstKey() <= end) {
      nowMillis = tasks.firstKey();
      tasks.pollFirstEntry().getValue().forEach(Runnable::run);
    }
    nowMillis = end;
  }

  /** The tasks that wait for time. */
  int waiting() {
    return tasks.values().stream().mapToInt(List::size).sum();
  }

  Child last() {
    return started.get(started.size() - 1);
  }
}
