package io.loligo.server.report;

import io.loligo.server.report.ChartScale.Mark;
import java.util.List;
import java.util.Locale;

/** An experiment as an inline SVG picture. Used once for each. */
final class LineChart {
  private static final int WIDTH = 440;
  private static final int HEIGHT = 260;
  private static final int LEFT = 66;
  private static final int RIGHT = 14;
  private static final int TOP = 10;
  private static final int BOTTOM = 44;

  /** Curves of no more points have a dot at each. */
  private static final int FEW = 40;

  private final Experiment experiment;
  private final ReportNumbers numbers;
  private final ChartScale across;
  private final ChartScale up;
  private final StringBuilder svg = new StringBuilder(4096);

  LineChart(Experiment experiment, ReportNumbers numbers) {
    this.experiment = experiment;
    this.numbers = numbers;
    double leastX = Double.MAX_VALUE;
    double mostX = -Double.MAX_VALUE;
    double least = Double.MAX_VALUE;
    double most = 0;
    for (Curve curve : experiment.curves()) {
      for (int i = 0; i < curve.y().length; i++) {
        if (!Double.isNaN(curve.y()[i])) {
          leastX = Math.min(leastX, experiment.x()[i]);
          mostX = Math.max(mostX, experiment.x()[i]);
          least = Math.min(least, curve.y()[i]);
          most = Math.max(most, curve.y()[i]);
        }
      }
    }
    if (experiment.horizontal().scale() == Axis.Scale.TIME) {
      double half = numbers.unitMicros() / 2e6;
      leastX = experiment.x()[0] - half;
      mostX = experiment.x()[experiment.x().length - 1] + half;
    }
    across = ChartScale.of(experiment.horizontal().scale(), leastX, leastX, mostX, numbers.zone());
    up = ChartScale.of(experiment.vertical().scale(), least, least, most, numbers.zone());
  }

  /** The picture with a title and a description for those who do not see it. */
  String svg() {
    String id = "g" + experiment.number();
    line("<svg viewBox='0 0 %d %d' role='img' aria-labelledby='%st %sd'>", WIDTH, HEIGHT, id, id);
    line("<title id='%st'>%s</title>", id, Html.text(experiment.title()));
    String description = experiment.meaning() + " " + experiment.finding();
    line("<desc id='%sd'>%s</desc>", id, Html.text(description.strip()));
    band();
    grid();
    if (experiment.stacked()) {
      areas();
    } else {
      experiment.curves().forEach(this::curve);
    }
    return svg.append("</svg>\n").toString();
  }

  private void line(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private double px(double value) {
    return LEFT + across.position(value) * (WIDTH - LEFT - RIGHT);
  }

  private double py(double value) {
    return HEIGHT - BOTTOM - up.position(value) * (HEIGHT - BOTTOM - TOP);
  }

  /** The peak hour behind the curves. */
  private void band() {
    if (experiment.horizontal().scale() == Axis.Scale.TIME) {
      double from = px(numbers.peakStartMicros() / 1e6);
      double to = px(numbers.peakEndMicros() / 1e6);
      line(
          "<rect class='peak' x='%.1f' y='%d' width='%.1f' height='%d'/>",
          from, TOP, Math.max(2, to - from), HEIGHT - BOTTOM - TOP);
    }
  }

  private void grid() {
    for (Mark mark : up.marks()) {
      double y = py(mark.value());
      line("<path class='grid' d='M%d %.1fH%d'/>", LEFT, y, WIDTH - RIGHT);
      line("<text class='end' x='%d' y='%.1f'>%s</text>", LEFT - 5, y + 4, Html.text(mark.text()));
    }
    for (Mark mark : across.marks()) {
      double x = px(mark.value());
      line("<path class='grid' d='M%.1f %dV%d'/>", x, TOP, HEIGHT - BOTTOM);
      line(
          "<text class='mid' x='%.1f' y='%d'>%s</text>",
          Math.min(x, WIDTH - 22), HEIGHT - BOTTOM + 15, Html.text(mark.text()));
    }
    line("<path class='axis' d='M%d %dV%dH%d'/>", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    line(
        "<text class='mid label' x='%d' y='%d'>%s</text>",
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, Html.text(experiment.horizontal().label()));
    boolean said = experiment.vertical().label().contains("logarithmic");
    String logarithmic = up.logarithmic() && !said ? ", logarithmic" : "";
    int middle = (TOP + HEIGHT - BOTTOM) / 2;
    line(
        "<text class='mid label' transform='rotate(-90 12 %d)' x='12' y='%d'>%s</text>",
        middle, middle, Html.text(experiment.vertical().label() + logarithmic));
  }

  private void curve(Curve curve) {
    StringBuilder path = new StringBuilder();
    StringBuilder dots = new StringBuilder();
    double[] y = curve.y();
    boolean few = few(y) && !curve.dashed();
    for (int i = 0; i < y.length; i++) {
      if (Double.isNaN(y[i])) {
        continue;
      }
      boolean begins = i == 0 || Double.isNaN(y[i - 1]);
      boolean alone = begins && (i + 1 == y.length || Double.isNaN(y[i + 1]));
      double px = px(experiment.x()[i]);
      path.append(String.format(Locale.ROOT, "%s%.1f %.1f", begins ? "M" : "L", px, py(y[i])));
      if (few || alone) {
        dots.append(
            String.format(Locale.ROOT, "<circle cx='%.1f' cy='%.1f' r='2.2'/>", px, py(y[i])));
      }
    }
    line(
        "<g class='c%d%s'><path class='curve' d='%s'/>%s</g>",
        curve.color().ordinal(), curve.dashed() ? " dashed" : "", path, dots);
  }

  private static boolean few(double[] y) {
    int points = 0;
    for (double one : y) {
      points += Double.isNaN(one) ? 0 : 1;
    }
    return points <= FEW;
  }

  /** Each curve as an area above those before it. */
  private void areas() {
    List<Curve> curves = experiment.curves();
    int length = experiment.x().length;
    double half = numbers.unitMicros() / 2e6;
    double[] below = new double[length];
    for (Curve curve : curves) {
      StringBuilder path = new StringBuilder();
      for (int i = 0; i < length; i++) {
        double part = curve.y()[i];
        if (!Double.isNaN(part)) {
          double left = px(experiment.x()[i] - half);
          double right = px(experiment.x()[i] + half);
          path.append(
              String.format(
                  Locale.ROOT,
                  "M%.1f %.1fH%.1fV%.1fH%.1fZ",
                  left,
                  py(below[i]),
                  right,
                  py(below[i] + part),
                  left));
          below[i] += part;
        }
      }
      line("<path class='area c%d' d='%s'/>", curve.color().ordinal(), path);
    }
  }
}
