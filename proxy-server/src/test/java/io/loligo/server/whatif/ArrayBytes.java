package io.loligo.server.whatif;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** The bytes of the arrays of numbers that an object of Loligo reaches, without their headers. */
final class ArrayBytes {
  private static final Map<Class<?>, Integer> BYTES =
      Map.of(
          byte.class,
          1,
          boolean.class,
          1,
          char.class,
          2,
          short.class,
          2,
          int.class,
          4,
          float.class,
          4,
          long.class,
          8,
          double.class,
          8);

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> left = new ArrayDeque<>();
  private long bytes;

  private ArrayBytes() {}

  static long of(Object object) throws IllegalAccessException {
    ArrayBytes count = new ArrayBytes();
    count.add(object);
    while (!count.left.isEmpty()) {
      count.visit(count.left.pop());
    }
    return count.bytes;
  }

  private void add(Object object) {
    if (object != null && seen.add(object)) {
      left.push(object);
    }
  }

  private void visit(Object object) throws IllegalAccessException {
    Class<?> type = object.getClass();
    Integer size = type.isArray() ? BYTES.get(type.getComponentType()) : null;
    if (size != null) {
      bytes += (long) size * Array.getLength(object);
    } else if (object instanceof Object[] objects) {
      for (Object element : objects) {
        add(element);
      }
    } else if (object instanceof Collection<?> objects) {
      objects.forEach(this::add);
    } else if (type.getName().startsWith("io.loligo.") && !type.isHidden()) {
      for (Class<?> each = type; each != null; each = each.getSuperclass()) {
        if (each.getName().startsWith("io.loligo.")) {
          visitFields(object, each);
        }
      }
    }
  }

  private void visitFields(Object object, Class<?> type) throws IllegalAccessException {
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
        field.setAccessible(true);
        add(field.get(object));
      }
    }
  }
}
