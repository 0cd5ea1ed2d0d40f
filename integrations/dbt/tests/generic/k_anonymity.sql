{# Every group has at least k people. The number of failures is that of people in smaller groups. #}
{% test k_anonymity(model, quasi, k, person_key=none) %}
    {{ config(fail_calc="coalesce(sum(people), 0)") }}
    {%- set k = unmask.within("k", k, 1, none, 5) -%}
    {{ unmask.broken_groups(unmask.groups(model, quasi, none, person_key), "people < " ~ k, "min(people) as smallest") }}
{% endtest %}
