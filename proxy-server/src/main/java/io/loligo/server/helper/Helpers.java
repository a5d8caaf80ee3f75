package io.loligo.server.helper;

import io.loligo.server.helper.ChildProcess.Starter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The helpers of this process. Thread-safe: any thread, except that {@link #close} blocks. It has
 * neither threads nor children while no program is in use.
 */
public final class Helpers implements AutoCloseable {
  /** How long children may take to end by themselves when the process stops. */
  private static final long END_MILLIS = 2_000;

  private final Map<HelperProgram, Helper> helpers = new ConcurrentHashMap<>();
  private final Map<AnswerTerms, Answers> answers = new ConcurrentHashMap<>();
  private final HelperTimer timer;
  private final LongSupplier nanos;
  private final Function<HelperLog, Starter> starters;

  /** Those of earlier configurations whose children may still run. */
  private final Set<Helper> retired = ConcurrentHashMap.newKeySet();

  /** Helpers with child processes; {@code nanos} is a monotonic clock. */
  public Helpers(HelperTimer timer, LongSupplier nanos) {
    this(timer, nanos, SystemProcess::starter);
  }

  Helpers(HelperTimer timer, LongSupplier nanos, Function<HelperLog, Starter> starters) {
    this.timer = timer;
    this.nanos = nanos;
    this.starters = starters;
  }

  /** The helper of {@code program}: the same one for equal programs. No child starts. */
  public Helper of(HelperProgram program) {
    return helpers.computeIfAbsent(program, this::make);
  }

  /** The answers that are kept under {@code terms}: the same object for equal terms. */
  public Answers answers(AnswerTerms terms) {
    return answers.computeIfAbsent(terms, one -> new Answers(one, of(one.program()), nanos));
  }

  private Helper make(HelperProgram program) {
    HelperLog log = new HelperLog(program.name(), nanos);
    InsideProgram inside = program.inside();
    Starter starter = inside == null ? starters.apply(log) : InsideChild.starter(inside, nanos);
    return new Helper(program, starter, timer, nanos, log);
  }

  /**
   * {@code programs} are those of the configuration in force: their first children start, and the
   * children of all others end once requests that have begun are over.
   */
  public void use(Set<HelperProgram> programs) {
    retired.removeIf(Helper::hasEnded);
    answers.keySet().removeIf(terms -> !programs.contains(terms.program()));
    for (HelperProgram program : programs) {
      of(program).begin();
    }
    for (HelperProgram other : List.copyOf(helpers.keySet())) {
      Helper unused = programs.contains(other) ? null : helpers.remove(other);
      if (unused != null) {
        retired.add(unused);
        unused.retire();
      }
    }
  }

  /** The counts of all programs in use, in the order of their names. */
  public List<HelperNumbers> numbers() {
    Map<String, HelperNumbers> byName = new LinkedHashMap<>();
    helpers.values().stream()
        .map(Helper::numbers)
        .sorted(Comparator.comparing(HelperNumbers::name))
        .forEach(one -> byName.putIfAbsent(one.name(), one));
    return List.copyOf(byName.values());
  }

  /** Ends all children: their input is closed; those that go on are ended after a time. */
  @Override
  public void close() {
    List<Helper> all = new ArrayList<>(helpers.values());
    all.addAll(retired);
    all.forEach(Helper::close);
    try {
      for (Helper helper : all) {
        if (!helper.awaitEnd(END_MILLIS)) {
          helper.killAll();
        }
      }
      for (Helper helper : all) {
        helper.awaitEnd(END_MILLIS);
      }
    } catch (InterruptedException e) {
      all.forEach(Helper::killAll);
      Thread.currentThread().interrupt();
    }
  }
}
