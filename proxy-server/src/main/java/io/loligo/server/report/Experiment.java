package io.loligo.server.report;

import io.loligo.server.report.Curve.Color;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One of the thirty-one experiments: its words, its curves, and what the log lacks for it. Filled
 * by its maker, then read only.
 */
final class Experiment {
  private final int number;
  private final String title;
  private final String meaning;
  private final ReportNumbers numbers;
  private final Axis horizontal;
  private final Axis vertical;
  private final double[] x;
  private final List<Curve> curves = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();
  private final Set<LoggedStage> absent = EnumSet.noneOf(LoggedStage.class);
  private final List<List<String>> rows = new ArrayList<>();
  private String finding = "";
  private boolean stacked;

  /**
   * An experiment without curves.
   *
   * @param number as in the study
   * @param meaning what one sees: one or two sentences
   * @param x common to all curves, rising
   */
  Experiment(
      ReportNumbers numbers,
      int number,
      String title,
      String meaning,
      Axis horizontal,
      double[] x,
      Axis vertical) {
    this.numbers = numbers;
    this.number = number;
    this.title = title;
    this.meaning = meaning;
    this.horizontal = horizontal;
    this.x = x;
    this.vertical = vertical;
  }

  /**
   * Adds a curve, or the reason why there is none.
   *
   * @param needed the stages without which the log cannot give it
   */
  Experiment curve(String name, Color color, double[] y, LoggedStage... needed) {
    return curve(new Curve(name, color, false, y), needed);
  }

  /** Adds a dashed curve of the peak hour, of a class that is there for the whole log. */
  Experiment peak(String name, Color color, double[] y, LoggedStage... needed) {
    if (missing.stream().anyMatch(text -> text.startsWith(name + ": "))) {
      return this;
    }
    return curve(new Curve(name + ", " + numbers.peakName(), color, true, y), needed);
  }

  private Experiment curve(Curve curve, LoggedStage... needed) {
    if (curve.isEmpty()) {
      lacks(curve.name(), needed);
    } else {
      curves.add(curve);
    }
    return this;
  }

  /** Says that {@code what} cannot be shown, because the log has none of it. */
  Experiment lacks(String what, LoggedStage... needed) {
    absent.addAll(numbers.absent(needed));
    return lacks(what, numbers.reason(needed));
  }

  /** Says that {@code what} cannot be shown. */
  Experiment lacks(String what, String reason) {
    missing.add(what + ": " + reason);
    return this;
  }

  /** Sets the sentence with the main numbers. */
  Experiment finds(String sentence) {
    finding = sentence;
    return this;
  }

  /** Draws the curves above each other: they are parts of one whole. */
  Experiment stack() {
    stacked = true;
    return this;
  }

  /** Adds a row of a table that takes the place of curves; the first one has the headings. */
  Experiment row(List<String> cells) {
    rows.add(cells);
    return this;
  }

  int number() {
    return number;
  }

  String title() {
    return title;
  }

  String meaning() {
    return meaning;
  }

  String finding() {
    return finding;
  }

  Axis horizontal() {
    return horizontal;
  }

  Axis vertical() {
    return vertical;
  }

  double[] x() {
    return x;
  }

  List<Curve> curves() {
    return curves;
  }

  /** Classes that are not there, each with the reason. */
  List<String> missing() {
    return missing;
  }

  /** The stages that the whole log lacks. */
  Set<LoggedStage> absent() {
    return absent;
  }

  List<List<String>> rows() {
    return rows;
  }

  boolean stacked() {
    return stacked;
  }

  /** Whether the log gives nothing for it. */
  boolean isEmpty() {
    return curves.isEmpty() && rows.size() < 2;
  }
}
