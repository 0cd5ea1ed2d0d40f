{# Every group has at least l different sensitive values. The number of failures is that of people in other groups. #}
{% test distinct_l(model, quasi, sensitive, l, person_key=none) %}
    {{ config(fail_calc="coalesce(sum(people), 0)") }}
    {%- set l = unmask.within("l", l, 1, none, 2) -%}
    {{
        unmask.broken_groups(
            unmask.groups(model, quasi, sensitive, person_key),
            "different_values < " ~ l,
            "min(different_values) as fewest_values",
        )
    }}
{% endtest %}
